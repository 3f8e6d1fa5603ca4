import { type Clock, isAtRest, SECOND } from '@escapement/core';
import { requireRun } from '@escapement/operations';
import type { Database, RunView } from '@escapement/store';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { run } from '../../schemas/run.ts';
import { aboutRun, pause, theRun } from './run-of.ts';

export const waitForRun = route({
  ...aboutRun,
  id: 'waitForRun',
  fromPrimary: true,
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

/** The run at its end, or when the time is over. Throws `bad_run_id`, `ambiguous_run_id`, `unknown_run`. */
async function endOf(
  db: Database,
  given: string,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal },
): Promise<RunView> {
  const endMs = clock.monotonicMs() + timeoutMs;
  let run = await requireRun(db, given);
  for (;;) {
    const leftMs = endMs - clock.monotonicMs();
    if (isAtRest(run.state) || leftMs <= 0 || signal.aborted) return run;
    await pause(signal, leftMs);
    run = await requireRun(db, run.id);
  }
}
