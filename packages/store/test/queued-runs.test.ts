import type { TaskInput } from '@escapement/core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { overdueRuns, queuedRuns, type RunCursor } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const ALL: { after: RunCursor | undefined; limit: number } = { after: undefined, limit: 100 };
const LOOK = { overdueMs: MINUTE, limit: 100, lookAt: 100 };

beforeEach(async () => {
  for (const table of ['pool', 'run']) await one.pool.query(`DELETE FROM ${table}`);
});

/** Queued runs of a task, of these ages in minutes. */
async function queued(
  name: string,
  minutes: readonly number[],
  more: Partial<TaskInput> = {},
): Promise<QueuedFixture[]> {
  const taskId = await makeTask(one, { name, ...more });
  return await queueRuns(
    one,
    minutes.map((age) => ({ taskId, key: name, ageMs: age * MINUTE })),
  );
}

async function queuedOne(name: string, more: Partial<TaskInput> = {}): Promise<QueuedFixture> {
  const [run] = await queued(name, [10], more);
  if (!run) throw new Error('no fixture');
  return run;
}

const set = (run: QueuedFixture | undefined, columns: string) =>
  one.pool.query(`UPDATE run SET ${columns} WHERE id = $1`, [run?.runId]);

const pausePool = (name: string, { namespace = one.namespace, until = 'NULL', from = `now() - interval '2 h'` } = {}) =>
  one.pool.query(
    `INSERT INTO pool (namespace, name, paused_from, paused_until, paused_by) VALUES ($1, $2, ${from}, ${until}, 'ann')`,
    [namespace, name],
  );

const cursorOf = (run: QueuedFixture | undefined): RunCursor => ({
  dueAt: run?.scheduledFor ?? new Date(0),
  id: run?.runId ?? '',
});
const idsOf = (runs: readonly (QueuedFixture | undefined)[]) => runs.map((run) => run?.runId);
const queuedIds = async (options = ALL, db = one) => (await queuedRuns(db, options)).map(({ id }) => id);
const overdueIds = async (options: Partial<typeof LOOK> = {}, db = one) =>
  (await overdueRuns(db, { ...LOOK, ...options })).runs.map(({ id }) => id);

/** What a look-up of either kind answers for one queued run. */
const asFound = (run: QueuedFixture) => ({
  id: run.runId,
  scheduledFor: run.scheduledFor,
  queue: 'default+shell',
  dueAt: run.scheduledFor,
  dispatch: 1,
});

const NOT_QUEUED: [string, string][] = [
  ['runs', `state = 'running', attempt = 1, worker = 'w', started_at = now(), fence = 1`],
  ['waits for its repeat', `state = 'planned'`],
  ['is planned by a trigger', `state = 'planned', origin = 'trigger'`],
  ['waits for its key', `state = 'waiting', waiting_since = now()`],
  ['is tried again later', `state = 'retrying', attempt = 1`],
  ['is held', `state = 'held'`],
  ['has ended', `state = 'succeeded', finished_at = now()`],
];

it('names the runs of the namespace that should have a job', async () => {
  const run = await queuedOne('named');
  expect(await queuedRuns(one, ALL)).toEqual([asFound(run)]);
  expect(await queuedRuns(other, ALL)).toEqual([]);
});

it.each(NOT_QUEUED)('no run that %s should have one, nor is it overdue', async (why, columns) => {
  await set(await queuedOne(`not-${why.replaceAll(' ', '-')}`), columns);
  expect(await queuedIds()).toEqual([]);
  expect(await overdueIds()).toEqual([]);
});

it('names them by due time, then by id, a page after the other', async () => {
  const [third, first, second] = await queued('pages', [5, 9, 7]);
  const [same] = await queued('same', [7]);
  await set(same, `due_at = (SELECT due_at FROM run WHERE id = '${second?.runId}')`);
  const together = idsOf([second, same]).sort();
  const order = [first?.runId, ...together, third?.runId];
  expect(await queuedIds()).toEqual(order);
  expect(await queuedIds({ ...ALL, limit: 2 })).toEqual(order.slice(0, 2));
  const dueAt = second?.scheduledFor ?? new Date(0);
  expect(await queuedIds({ ...ALL, after: { dueAt, id: together[0] ?? '' } })).toEqual(order.slice(2));
});

it('without a cursor, both look-ups begin with the oldest run that is open', async () => {
  const [older, newer] = await queued('open-from', [9, 7]);
  if (!older || !newer) throw new Error('no fixture');
  const later = { ...one, openFrom: { ...one.openFrom, runs: newer.scheduledFor.toISOString() } };
  expect(await queuedIds(ALL, later)).toEqual([newer.runId]);
  expect(await overdueIds({}, later)).toEqual([newer.runId]);
});

it('names what should have begun so long ago, in the namespace', async () => {
  const run = await queuedOne('overdue');
  expect(await overdueRuns(one, LOOK)).toEqual({ runs: [asFound(run)], next: undefined });
  expect(await overdueIds({ overdueMs: 9 * MINUTE })).toEqual([run.runId]);
  expect(await overdueIds({ overdueMs: 15 * MINUTE })).toEqual([]);
  expect(await overdueIds({}, other)).toEqual([]);
});

it('names the oldest that are overdue, as many as are asked for, and of those that are looked at', async () => {
  const [third, first, second] = await queued('oldest', [5, 9, 7]);
  const order = idsOf([first, second, third]);
  expect(await overdueIds()).toEqual(order);
  expect(await overdueIds({ limit: 2 })).toEqual(order.slice(0, 2));
  expect(await overdueIds({ lookAt: 1 })).toEqual(order.slice(0, 1));
  const { runs } = await overdueRuns(one, { ...LOOK, after: cursorOf(first) });
  expect(runs.map(({ id }) => id)).toEqual(order.slice(1));
});

it.each([
  ['is misfired', `misfire_at = now() - interval '1 min'`, []],
  ['will be misfired', `misfire_at = now() + interval '1 h'`, ['it']],
  [
    'has missed its start deadline as well',
    `misfire_at = now() - interval '1 min', start_by = now() - interval '1 min'`,
    ['it'],
  ],
  ['is to be cancelled as well', `misfire_at = now() - interval '1 min', cancel_requested_at = now()`, ['it']],
])('only what a scheduler has to judge first is not overdue: a run that %s', async (why, columns, named) => {
  const run = await queuedOne(why.replaceAll(' ', '-'));
  await set(run, columns);
  expect(await overdueIds()).toEqual(named.map(() => run.runId));
});

it.each([
  ['is paused', {}, 0],
  ['is paused for a while', { until: `now() + interval '1 h'` }, 0],
  ['was paused', { until: `now() - interval '1 h'` }, 1],
  ['will be paused', { from: `now() + interval '1 h'` }, 1],
  ['is paused in another namespace', { namespace: 'other' }, 1],
])('only what is in a pool that is paused now is not overdue: its pool %s', async (why, pause, named) => {
  await queuedOne(why.replaceAll(' ', '-'), { pool: 'resting' });
  await pausePool('resting', pause);
  expect(await overdueIds()).toHaveLength(named);
  // It should have a job all the same.
  expect(await queuedIds()).toHaveLength(1);
});

it('says where the next look begins only where a pool is paused, and more was there than was looked at', async () => {
  const runs = await queued('crowd', [9, 8, 7]);
  const look = { ...LOOK, lookAt: 2 };
  expect((await overdueRuns(one, look)).next).toBeUndefined();
  expect((await overdueRuns(one, { ...LOOK, limit: 2 })).next).toBeUndefined();
  await pausePool('elsewhere', { namespace: 'other' });
  await pausePool('was', { until: `now() - interval '1 h'` });
  expect((await overdueRuns(one, look)).next).toBeUndefined();
  await pausePool('any');
  expect(await overdueRuns(one, look)).toMatchObject({ runs: [{}, {}], next: cursorOf(runs[1]) });
  expect((await overdueRuns(one, { ...LOOK, lookAt: 3 })).next).toEqual(cursorOf(runs[2]));
  expect((await overdueRuns(one, { ...LOOK, lookAt: 4 })).next).toBeUndefined();
});

it('goes on behind the last run that it names, where it named as many as were asked for', async () => {
  const runs = await queued('named-last', [9, 8, 7]);
  await pausePool('any');
  const first = await overdueRuns(one, { ...LOOK, lookAt: 3, limit: 1 });
  expect(first).toMatchObject({ runs: [{ id: runs[0]?.runId }], next: cursorOf(runs[0]) });
});

it('goes on behind what it looked at, though it named none of it', async () => {
  const runs = await queued('resting', [9, 8, 7], { pool: 'resting' });
  await pausePool('resting');
  expect(await overdueRuns(one, { ...LOOK, lookAt: 2 })).toEqual({ runs: [], next: cursorOf(runs[1]) });
});
