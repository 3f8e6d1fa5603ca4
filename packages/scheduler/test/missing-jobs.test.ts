import { HOUR, newRunId, SECOND, systemClock } from '@escapement/core';
import { testFleet } from '@escapement/testkit/fleet';
import { beforeEach, expect, it } from 'vitest';
import { missingJobsStep } from '../src/reconciler/missing-jobs.ts';
import type { QueueWatch } from '../src/reconciler/queue-watch.ts';

const fleet = await testFleet();
await fleet.save({ name: 'many', pool: 'many' });

/** More than a calm pass of a small fleet looks at, and fewer than one under a resync request. */
const RUNS = 1500;
const CALM = 1000;
const PAGE = 5000;
const PASSES = 8;

/** All are due in an hour, so that nothing else cares for them. */
async function addRuns(count: number): Promise<string[]> {
  const times = Array.from(
    { length: count },
    (_, index) => new Date(systemClock.now().getTime() + HOUR + index * SECOND),
  );
  const ids = times.map((at) => newRunId(at));
  await fleet.db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, dispatch, key, key_limit, overlap, pool, need, due_at)
     SELECT i.id, i.at, t.namespace, t.id, 1, 1, 'trigger', 'queued', 1, t.name, 1, t.overlap, t.pool, t.need, i.at
     FROM task t, unnest($1::uuid[], $2::timestamptz[]) AS i(id, at) WHERE t.name = 'many'`,
    [ids, times.map((at) => at.toISOString())],
  );
  return ids;
}

await addRuns(RUNS);

/** How many runs the queue was asked about, each time. */
let asked: number[];
let takes: boolean;
let completed: number[];

beforeEach(() => {
  [asked, completed] = [[], []];
  takes = true;
});

function watching(resyncRequest: number | undefined) {
  return {
    resyncRequest,
    blocked: [],
    step: { name: 'none', heal: async () => ({ counts: {}, more: false }) },
    completeResync: async (request: number) => void completed.push(request),
  };
}

/** `queued`: how many runs were counted. */
function step(watch: QueueWatch, isThere: boolean, queued = RUNS) {
  const queue = {
    ...fleet.queue,
    present: async (refs: readonly unknown[]) => {
      asked.push(refs.length);
      return refs.map(() => isThere);
    },
    add: async (jobs: readonly unknown[]) =>
      jobs.map(() => (takes ? ({ ok: true } as const) : ({ ok: false, error: new Error('away') } as const))),
  };
  return missingJobsStep(
    { ...fleet, queue, databaseNow: () => systemClock.now(), emit: () => undefined },
    watch,
    () => queued,
  );
}

it('looks at a part of the runs in a calm pass, goes on with the next part, and then begins again', async () => {
  const calm = step(watching(undefined), true);
  for (let pass = 0; pass < 3; pass++) expect(await calm.heal()).toEqual({ counts: { missing_job: 0 }, more: false });
  expect(asked).toEqual([CALM, RUNS - CALM, CALM]);
});

it.each([
  [RUNS, [CALM]],
  [PASSES * CALM, [CALM]],
  [PASSES * (CALM + 100), [CALM + 100]],
  [100_000, [RUNS]],
])('of %d queued runs a calm pass looks at an eighth, or a thousand', async (queued, looked) => {
  await step(watching(undefined), true, queued).heal();
  expect(asked).toEqual(looked);
});

it('looks at many in pages, and stops where there are no more', async () => {
  const pages: number[] = [];
  const more = await addRuns(2 * PAGE);
  const calm = step(watching(undefined), true, PASSES * (2 * PAGE + 100));
  for (let pass = 0; pass < 2; pass++) {
    await calm.heal();
    pages.push(...asked.splice(0));
  }
  expect(pages).toEqual([PAGE, PAGE, 100, RUNS - 100]);
  await fleet.db.pool.query('DELETE FROM run WHERE id = ANY ($1)', [more]);
});

it('looks at all under a resync request, and says then that it is done', async () => {
  expect(await step(watching(7), true).heal()).toEqual({ counts: { missing_job: 0 }, more: true });
  expect([asked, completed]).toEqual([[RUNS], [7]]);
});

it('adds what is missing, and in a calm fleet waits for its next turn', async () => {
  expect(await step(watching(undefined), false).heal()).toEqual({ counts: { missing_job: CALM }, more: false });
});

it('does not go on past what the queue has not taken, and completes no resync then', async () => {
  takes = false;
  const forced = step(watching(7), false);
  expect(await forced.heal()).toEqual({ counts: { missing_job: 0 }, more: false });
  takes = true;
  expect(await forced.heal()).toEqual({ counts: { missing_job: RUNS }, more: true });
  expect([asked, completed]).toEqual([[RUNS, RUNS], [7]]);
});

it('begins again from the start when a resync is requested', async () => {
  const watch = watching(undefined);
  const scan = step(watch, true);
  await scan.heal();
  expect(scan.isForced?.()).toBe(false);
  watch.resyncRequest = 7;
  expect(scan.isForced?.()).toBe(true);
  await scan.heal();
  expect([asked, completed]).toEqual([[CALM, RUNS], [7]]);
});
