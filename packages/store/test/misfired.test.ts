import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { beginRuns, dueTasks, lookUpRuns, misfiredRuns } from '../src/index.ts';
import { MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

/** Two occurrences that are past their misfire threshold, the older first; the task's next one lies ahead. */
async function twoLate(name: string, options?: { byRepeat: boolean }) {
  const taskId = await makeTask(one, { name, catchUp: 'earliest' });
  const ages = [10 * MINUTE, 5 * MINUTE];
  const runs = await queueRuns(
    one,
    ages.map((ageMs) => ({ taskId, key: name, ageMs })),
    options,
  );
  await one.pool.query(`UPDATE run SET misfire_at = due_at + interval '1 min' WHERE key = $1`, [name]);
  await one.pool.query(`UPDATE task_plan SET next_run_at = now() + interval '1 h' WHERE task_id = $1`, [taskId]);
  const [older, newer] = runs;
  if (!older || !newer) throw new Error('no fixture');
  return { taskId, older, newer };
}

const found = async (name: string) => (await misfiredRuns(one, 100)).tasks.find((task) => task.name === name);

it('what has waited for its key is no misfire, and the older ones count it as the newer that is due', async () => {
  const { older, newer } = await twoLate('has-waited');
  expect(await found('has-waited')).toMatchObject({
    runs: [{ id: older.runId }, { id: newer.runId }],
    newerIsDue: false,
  });
  await one.pool.query('UPDATE run SET dispatch = 2, waiting_since = now() WHERE id = $1', [newer.runId]);
  expect(await found('has-waited')).toMatchObject({ runs: [{ id: older.runId }], newerIsDue: true, newerMisfired: 0 });
});

it('nor does the planner count it as one, when it asks whether the occurrence before misfired', async () => {
  const { taskId, older, newer } = await twoLate('planned-after');
  await one.pool.query(`UPDATE task_plan SET next_run_at = now() - interval '1 min' WHERE task_id = $1`, [taskId]);
  const before = async () => {
    const { tasks } = await dueTasks(one, { horizonMs: MINUTE, limit: 100 });
    return tasks.find(({ id }) => id === taskId)?.openBefore;
  };
  expect(await before()).toBe(true);
  await one.pool.query('UPDATE run SET dispatch = 2, waiting_since = now() WHERE id = ANY ($1)', [
    [older.runId, newer.runId],
  ]);
  expect(await before()).toBe(false);
});

it('a run that was queued anew before it became a misfire is one all the same', async () => {
  const { older, newer } = await twoLate('queued-anew');
  await one.pool.query('UPDATE run SET dispatch = 2 WHERE id = $1', [newer.runId]);
  expect(await found('queued-anew')).toMatchObject({ runs: [{ id: older.runId }, { id: newer.runId }] });
  expect(await lookUpRuns(one, [newer])).toMatchObject([{ state: 'queued', misfired: true }]);
  const begin = { ...newer, dispatch: 2, beginId: randomUUID(), key: 'queued-anew', slot: 1, worker: 'w' };
  expect(await beginRuns(one, [begin])).toMatchObject([{ kind: 'misfire' }]);
});

it('a run whose repeat comes too late is told as misfired before it is begun', async () => {
  const { newer } = await twoLate('late-repeat', { byRepeat: true });
  expect(await lookUpRuns(one, [newer])).toMatchObject([{ state: 'planned', misfired: true }]);
});

it.each([
  ['its task is deleted', 'UPDATE task SET deleted_at = now() WHERE name = $1'],
  [
    'its task was edited',
    "UPDATE task SET plan_epoch = plan_epoch + 1, effective_at = now() - interval '1 h' WHERE name = $1",
  ],
  ['it is to be cancelled', `UPDATE run SET cancel_requested_at = now(), cancel_requested_by = 'ann' WHERE key = $1`],
  ['its start deadline has passed', 'UPDATE run SET start_by = due_at WHERE key = $1'],
  [
    'its task is paused',
    `INSERT INTO task_pause (task_id, from_at, created_by) SELECT id, now() - interval '1 h', 'ann' FROM task WHERE name = $1`,
  ],
  [
    'the fleet is frozen',
    `INSERT INTO fleet_freeze (namespace, from_at, note, created_by)
     SELECT namespace, now() - interval '1 h', 'stop', 'ann' FROM task WHERE name = $1`,
  ],
])('a late run is not left to the policy where %s', async (why, ending) => {
  const name = why.replaceAll(' ', '-');
  const { older, newer } = await twoLate(name);
  const misfired = async () => (await lookUpRuns(one, [older, newer])).map((run) => run?.misfired);
  expect(await misfired()).toEqual([true, true]);
  await one.pool.query(ending, [name]);
  expect(await misfired()).toEqual([false, false]);
  expect(await found(name)).toBeUndefined();
  await one.pool.query('DELETE FROM fleet_freeze');
});
