import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, isAtRest, SECOND } from '@escapement/core';
import { requireRun } from '@escapement/operations';
import type { Database, RunView } from '@escapement/store';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { run } from '../../schemas/run.ts';
import { aboutRun, theRun } from './run-of.ts';

/** Between two looks at a run that goes on. */
const LOOK_EVERY_MS = 250;

export const waitForRun = route({
  ...aboutRun,
  id: 'waitForRun',
  method: 'GET',
  path: '/v1/runs/:id/wait',
  summary: 'A run, once it has ended, or is `unknown`, or the time is over: ask again as long as it goes on.',
  query: z.strictObject({
    timeoutMs: z.coerce
      .number()
      .int()
      .min(0)
      .max(30 * SECOND)
      .default(25 * SECOND)
      .meta({ description: 'How long to wait at most. 0: not at all.' }),
  }),
  right: 'read',
  on: theRun,
  audit: null,
  answer: run,
  handle: async ({ db, clock, params, query, signal }) => await endOf(db, params.id, { clock, signal, ...query }),
});

async function endOf(
  db: Database,
  given: string,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal },
): Promise<RunView> {
  const endMs = clock.monotonicMs() + timeoutMs;
  for (let id = given; ; ) {
    const now = await requireRun(db, id);
    const leftMs = endMs - clock.monotonicMs();
    if (isAtRest(now.state) || leftMs <= 0 || signal.aborted) return now;
    id = now.id;
    await sleep(Math.min(leftMs, LOOK_EVERY_MS), undefined, { signal }).catch(() => undefined);
  }
}
