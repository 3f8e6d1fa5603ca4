import { lockRows } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { markQueued } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns, stateOf, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

it('does not wait for a row that somebody is beginning, and marks the others', async () => {
  const taskId = await makeTask(one, { name: 'beginning' });
  const ages = [2 * MINUTE, MINUTE].map((ageMs) => ({ taskId, key: 'beginning', ageMs }));
  const runs = await queueRuns(one, ages, { byRepeat: true });
  const held = await lockRows(one.url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', [runs[0]?.runId]);
  const marked = markQueued(
    one,
    runs.map(({ runId, ...run }) => ({ ...run, id: runId })),
  );
  expect(await Promise.race([marked.then(() => 'marked'), held.awaited().then(() => 'waits')])).toBe('marked');
  await held.release();
  expect(await Promise.all(runs.map(({ runId }) => stateOf(one, runId)))).toEqual(['planned', 'queued']);
});

const markAll = (runs: readonly QueuedFixture[], dispatch: number, db = one) =>
  markQueued(
    db,
    runs.map(({ runId: id, scheduledFor }) => ({ id, scheduledFor, dispatch })),
  );

async function planned(name: string, count = 1): Promise<QueuedFixture[]> {
  const taskId = await makeTask(one, { name });
  const ages = Array.from({ length: count }, (_, index) => ({ taskId, key: name, ageMs: (index + 1) * MINUTE }));
  return await queueRuns(one, ages, { byRepeat: true });
}

/** What the rows of a task say, and whether they were written again since. */
async function rowsOf(name: string) {
  const { rows } = await one.pool.query<{ state: string; dispatch: number; written: string }>(
    'SELECT state, dispatch, xmin::text AS written FROM run WHERE key = $1 ORDER BY scheduled_for DESC',
    [name],
  );
  return rows;
}

it.each([
  ['planned', 0],
  ['retrying', 3],
])('notes of a run that is %s under dispatch %i that the queue has its next job', async (state, dispatch) => {
  const name = `${state}-next`;
  const runs = await planned(name);
  await one.pool.query('UPDATE run SET state = $2, dispatch = $3 WHERE key = $1', [name, state, dispatch]);
  await markAll(runs, dispatch + 1);
  expect(await rowsOf(name)).toMatchObject([{ state: 'queued', dispatch: dispatch + 1 }]);
});

it.each([
  ['is queued for that job already', `state = 'queued', dispatch = 2`],
  ['is queued for a later one', `state = 'queued', dispatch = 3`],
  ['is planned for a later one', `state = 'planned', dispatch = 2`],
  ['is planned for an earlier one', `state = 'planned', dispatch = 0`],
  ['waits', `state = 'waiting', dispatch = 1, waiting_since = now()`],
  ['runs', `state = 'running', dispatch = 2, attempt = 1, worker = 'w', started_at = now(), fence = 1`],
  ['has ended', `state = 'succeeded', dispatch = 1, finished_at = now()`],
])('does not write a row that %s', async (why, columns) => {
  const name = why.replaceAll(' ', '-');
  const runs = await planned(name);
  await one.pool.query(`UPDATE run SET ${columns} WHERE key = $1`, [name]);
  const before = await rowsOf(name);
  await markAll(runs, 2);
  expect(await rowsOf(name)).toEqual(before);
});

it('marks those that are named, each with its own dispatch number, and none of another namespace', async () => {
  const runs = await planned('named', 3);
  await one.pool.query(`UPDATE run SET dispatch = 4 WHERE id = $1`, [runs[1]?.runId]);
  const requests = runs.slice(0, 2).map(({ runId: id, scheduledFor }, index) => {
    return { id, scheduledFor, dispatch: [1, 5][index] ?? 0 };
  });
  await markQueued({ ...one, namespace: 'other' }, requests);
  expect((await rowsOf('named')).map(({ state }) => state)).toEqual(['planned', 'planned', 'planned']);
  await markQueued(one, requests);
  expect(await rowsOf('named')).toMatchObject([
    { state: 'queued', dispatch: 1 },
    { state: 'queued', dispatch: 5 },
    { state: 'planned', dispatch: 0 },
  ]);
});
