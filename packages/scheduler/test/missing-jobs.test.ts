import { HOUR, newRunId, SECOND, systemClock } from '@escapement/core';
import { testFleet } from '@escapement/testkit/fleet';
import { beforeEach, expect, it } from 'vitest';
import { missingJobsStep } from '../src/reconciler/missing-jobs.ts';
import type { QueueWatch } from '../src/reconciler/queue-watch.ts';

const fleet = await testFleet();
await fleet.save({ name: 'many', pool: 'many' });

/** More than a calm pass looks at, and fewer than one under a resync request. */
const RUNS = 1500;
const CALM = 1000;

// All are due in an hour, so that nothing else cares for them.
const times = Array.from({ length: RUNS }, (_, index) => new Date(systemClock.now().getTime() + HOUR + index * SECOND));
await fleet.db.pool.query(
  `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, dispatch, key, key_limit, overlap, pool, need, due_at)
   SELECT i.id, i.at, t.namespace, t.id, 1, 1, 'trigger', 'queued', 1, t.name, 1, t.overlap, t.pool, t.need, i.at
   FROM task t, unnest($1::uuid[], $2::timestamptz[]) AS i(id, at) WHERE t.name = 'many'`,
  [times.map((at) => newRunId(at)), times.map((at) => at.toISOString())],
);

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

function step(watch: QueueWatch, isThere: boolean) {
  const queue = {
    ...fleet.queue,
    present: async (refs: readonly unknown[]) => {
      asked.push(refs.length);
      return refs.map(() => isThere);
    },
    add: async (jobs: readonly unknown[]) =>
      jobs.map(() => (takes ? ({ ok: true } as const) : ({ ok: false, error: new Error('away') } as const))),
  };
  return missingJobsStep({ ...fleet, queue, databaseNow: () => systemClock.now(), emit: () => undefined }, watch);
}

it('looks at a part of the runs in a calm pass, goes on with the next part, and then begins again', async () => {
  const calm = step(watching(undefined), true);
  for (let pass = 0; pass < 3; pass++) expect(await calm.heal()).toEqual({ counts: { missing_job: 0 }, more: false });
  expect(asked).toEqual([CALM, RUNS - CALM, CALM]);
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
