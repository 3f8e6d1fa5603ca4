import { ManualClock, newRunId, SECOND, systemClock } from '@escapement/core';
import type { JobPlace, RunJob, RunRef } from '@escapement/queue';
import { openDatabase } from '@escapement/store';
import { testFleet } from '@escapement/testkit/fleet';
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { findOverdueRuns, overdueRunsStep } from '../src/reconciler/overdue-runs.ts';

const fleet = await testFleet();
await fleet.save({ name: 'any', pool: 'served', overlap: 'allow' });
await fleet.save({ name: 'crowd', pool: 'paused', overlap: 'allow' });
// With a single connection, a transaction of the test is that of the look too, and its clock stands still.
const db = openDatabase({
  url: fleet.db.url,
  applicationName: 'test',
  connections: 1,
  idleInTransactionTimeoutMs: 60_000,
});
afterAll(() => db.close());

const QUEUE = 'served+shell';
const clock = new ManualClock();
const nowMs = clock.now().getTime();

beforeEach(async () => {
  for (const table of ['run', 'pool']) await db.pool.query(`DELETE FROM ${table}`);
});

const pause = () =>
  db.pool.query(
    `INSERT INTO pool (namespace, name, paused_from, paused_by) VALUES ('default', 'paused', now() - interval '2 h', 'ann')`,
  );

/** Queued runs of a task, due so long ago and a second later each. */
async function overdue(count: number, { task = 'any', ageMs = 3600 * SECOND } = {}): Promise<string[]> {
  const atMs = systemClock.now().getTime() - ageMs;
  const times = Array.from({ length: count }, (_, index) => new Date(atMs + index));
  const ids = times.map((time) => newRunId(time));
  await db.hot.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, dispatch, key,
       key_limit, overlap, pool, need, due_at)
     SELECT i.id, i.at, t.namespace, t.id, 1, 1, 'trigger', 'queued', 1, t.name, 1, t.overlap, t.pool, t.need, i.at
     FROM task t, unnest($1::uuid[], $2::timestamptz[]) AS i(id, at) WHERE t.name = $3`,
    [ids, times.map((time) => time.toISOString()), task],
  );
  return ids;
}

/** What the queue was asked about, and given. */
function queueWhere(placeOf: (ref: RunRef) => JobPlace) {
  const asked: RunRef[][] = [];
  const added: RunJob[] = [];
  const contents = {
    ...fleet.contents,
    places: async (refs: readonly RunRef[]) => {
      asked.push([...refs]);
      return refs.map(placeOf);
    },
  };
  const queue = {
    ...fleet.queue,
    add: async (jobs: readonly RunJob[]) => {
      added.push(...jobs);
      return jobs.map(() => ({ ok: true as const }));
    },
  };
  const options = {
    db,
    contents,
    clock,
    queue,
    databaseNow: () => clock.now(),
    deadMs: 60 * SECOND,
    emit: () => undefined,
  };
  return { asked, added, options, step: overdueRunsStep(options, { add: () => undefined }) };
}

const GONE: JobPlace = { at: 'gone' };
const NOWHERE: JobPlace = { at: 'nowhere' };
const LOOK = { limit: 10, lookAt: 10 };

it('a run is overdue from a second after it was due', async () => {
  const { options } = queueWhere(() => GONE);
  await db.hot.query('BEGIN');
  onTestFinished(async () => void (await db.hot.query('ROLLBACK')));
  const [id] = await overdue(1);
  const isFound = async (ageMs: number) => {
    await db.hot.query(`UPDATE run SET due_at = now() - $1 * interval '1 ms' WHERE id = $2`, [ageMs, id]);
    return (await findOverdueRuns(options, LOOK)).gone.length === 1;
  };
  // The ledger has whole milliseconds.
  expect([await isFound(999), await isFound(1001)]).toEqual([false, true]);
});

it('the queue is not asked where nothing is overdue', async () => {
  const { options, asked } = queueWhere(() => GONE);
  expect(await findOverdueRuns(options, LOOK)).toEqual({ gone: [], stuck: [], behind: undefined });
  expect(asked).toEqual([]);
});

it.each<[string, JobPlace, { gone: number; stuck: number }]>([
  ['that is gone is gone', GONE, { gone: 1, stuck: 0 }],
  ['that waits may come to a worker', { at: 'waiting' }, { gone: 0, stuck: 0 }],
  ['that a worker has taken may be stuck', { at: 'taken', since: new Date(0) }, { gone: 0, stuck: 1 }],
  ['that is in no list is stuck', NOWHERE, { gone: 0, stuck: 1 }],
  ['that is held back for a second may come', { at: 'delayed', untilMs: nowMs + SECOND }, { gone: 0, stuck: 0 }],
  ['that is held back for longer is stuck', { at: 'delayed', untilMs: nowMs + SECOND + 1 }, { gone: 0, stuck: 1 }],
])('the job of an overdue run %s', async (_, place, expected) => {
  await overdue(1);
  const { gone, stuck } = await findOverdueRuns(queueWhere(() => place).options, LOOK);
  expect({ gone: gone.length, stuck: stuck.length }).toEqual(expected);
});

it('each run is judged by the place of its own job', async () => {
  const ids = await overdue(3);
  const { options, asked } = queueWhere(({ runId }) => (runId === ids[1] ? GONE : { at: 'waiting' }));
  const { gone } = await findOverdueRuns(options, LOOK);
  expect(gone.map(({ id }) => id)).toEqual([ids[1]]);
  expect(asked).toEqual([ids.map((runId) => ({ queue: QUEUE, runId, dispatch: 1 }))]);
});

it('no more are found than may be, those behind a paused pool included', async () => {
  await pause();
  const before = await overdue(1, { ageMs: 7200 * SECOND });
  await overdue(2, { task: 'crowd', ageMs: 5400 * SECOND });
  const behind = await overdue(5);
  const idsOf = async (limit: number) => {
    const { gone } = await findOverdueRuns(queueWhere(() => GONE).options, { limit, lookAt: 3 });
    return gone.map(({ id }) => id);
  };
  expect(await idsOf(1)).toEqual(before);
  expect(await idsOf(2)).toEqual([...before, ...behind.slice(0, 1)]);
  expect(await idsOf(3)).toEqual([...before, ...behind.slice(0, 2)]);
});

it('where all that may be found stands before a paused pool the look behind it stays where it was', async () => {
  await pause();
  await overdue(2, { ageMs: 7200 * SECOND });
  await overdue(2, { task: 'crowd' });
  const behind = { dueAt: new Date(nowMs), id: newRunId(new Date(nowMs)) };
  const found = await findOverdueRuns(queueWhere(() => GONE).options, { limit: 2, lookAt: 3, behind });
  expect([found.gone.length, found.behind]).toEqual([2, behind]);
});

it('each pass looks at another part of what is behind a paused pool', async () => {
  await pause();
  await overdue(10_001, { task: 'crowd', ageMs: 7200 * SECOND });
  const [id] = await overdue(1);
  const { step, added } = queueWhere(() => GONE);
  expect(await step.heal()).toEqual({ counts: { missing_job: 0, stuck_job: 0 }, more: false });
  expect(await step.heal()).toEqual({ counts: { missing_job: 1, stuck_job: 0 }, more: false });
  expect(added.map(({ runId }) => runId)).toEqual([id]);
});

it('the one run that is stuck is queued anew under the next dispatch number, and its job added', async () => {
  const [id] = await overdue(1);
  const { step, added } = queueWhere(() => NOWHERE);
  expect(await step.heal()).toEqual({ counts: { missing_job: 0, stuck_job: 1 }, more: false });
  expect(added).toMatchObject([{ queue: QUEUE, runId: id, dispatch: 2 }]);
  const { rows } = await db.pool.query('SELECT state, dispatch FROM run');
  expect(rows).toEqual([{ state: 'queued', dispatch: 2 }]);
});

it.each([
  [499, false],
  [500, true],
])('of %d runs without a worker, gone and stuck together, a pass leaves some: %s', async (count, more) => {
  const [first] = await overdue(count);
  const { step } = queueWhere(({ runId }) => (runId === first ? NOWHERE : GONE));
  expect(await step.heal()).toEqual({ counts: { missing_job: count - 1, stuck_job: 1 }, more });
});
