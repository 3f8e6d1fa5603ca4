import { afterAll, beforeEach, expect, it } from 'vitest';
import { findOldest } from '../src/index.ts';
import { ago, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

beforeEach(async () => {
  await one.pool.query('DELETE FROM run');
  await one.pool.query(`UPDATE task_plan SET next_run_at = NULL`);
});

/** The times before now, in whole seconds, at which look-ups begin. */
async function secondsAgo(db = one): Promise<{ runs: number; tasks: number }> {
  const { runs, tasks, ms } = await findOldest(db);
  expect(ms).toBeGreaterThanOrEqual(0);
  const { rows } = await one.pool.query<{ runs: number; tasks: number }>(
    `SELECT extract(epoch FROM now() - $1::timestamptz)::float8 AS runs, extract(epoch FROM now() - $2::timestamptz)::float8 AS tasks`,
    [runs, tasks],
  );
  if (!rows[0]) throw new Error('no answer');
  return rows[0];
}

/** The older of two runs of a task, in this state. */
async function olderOf(name: string, columns: string): Promise<QueuedFixture> {
  const taskId = await makeTask(one, { name });
  const [newer, older] = await queueRuns(one, [
    { taskId, key: name, ageMs: 10 * MINUTE },
    { taskId, key: name, ageMs: 20 * MINUTE },
  ]);
  if (!older || !newer) throw new Error('no fixture');
  await one.pool.query(`UPDATE run SET ${columns} WHERE key = $1`, [name]);
  await one.pool.query('UPDATE task_plan SET next_run_at = NULL');
  return older;
}

it('begins some seconds ago where nothing is open', async () => {
  const { runs, tasks } = await secondsAgo();
  for (const seconds of [runs, tasks]) {
    expect(seconds).toBeGreaterThanOrEqual(5);
    expect(seconds).toBeLessThan(60);
  }
});

it.each([
  ['queued', `state = 'queued'`],
  ['at work', `state = 'running', attempt = 1, worker = 'w', started_at = now(), fence = 1`],
  ['planned by a trigger', `state = 'planned', origin = 'trigger'`],
  ['to be tried again', `state = 'retrying', attempt = 1`],
  ['waiting for its repeat', `state = 'planned'`],
])('begins at the oldest run that is %s, of its own namespace', async (why, columns) => {
  const older = await olderOf(why.replaceAll(' ', '-'), columns);
  expect(new Date((await findOldest(one)).runs)).toEqual(older.scheduledFor);
  expect((await secondsAgo(other)).runs).toBeLessThan(60);
});

it.each([
  ['is over', `state = 'succeeded', finished_at = now()`],
  ['waits for its key', `state = 'waiting', waiting_since = now()`],
  ['is held', `state = 'held'`],
  ['is due later', `due_at = now() + interval '1 h'`],
])('is not kept back by a run that %s', async (why, columns) => {
  await olderOf(why.replaceAll(' ', '-'), columns);
  expect((await secondsAgo()).runs).toBeLessThan(60);
});

it('begins at the task that has been to plan for longest, of its own namespace', async () => {
  for (const name of ['planned-a', 'planned-b']) await makeTask(one, { name });
  const setNext = (name: string, at: Date | null) =>
    one.pool.query(
      'UPDATE task_plan SET next_run_at = $2, plan_after = NULL WHERE task_id = (SELECT id FROM task WHERE name = $1)',
      [name, at],
    );
  const [older, newer] = [ago(20 * MINUTE), ago(10 * MINUTE)];
  await setNext('planned-a', newer);
  await setNext('planned-b', older);
  expect(new Date((await findOldest(one)).tasks)).toEqual(older);
  expect((await secondsAgo(other)).tasks).toBeLessThan(60);
  await setNext('planned-b', null);
  expect(new Date((await findOldest(one)).tasks)).toEqual(newer);
});
