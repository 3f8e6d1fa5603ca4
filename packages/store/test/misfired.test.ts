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
  const { taskId, newer } = await twoLate('planned-after');
  await one.pool.query(`UPDATE task_plan SET next_run_at = now() - interval '1 min' WHERE task_id = $1`, [taskId]);
  const before = async () => {
    const { tasks } = await dueTasks(one, { horizonMs: MINUTE, limit: 100 });
    return tasks.find(({ id }) => id === taskId)?.misfiredBefore;
  };
  expect(await before()).toBe(true);
  await one.pool.query('UPDATE run SET dispatch = 2, waiting_since = now() WHERE id = $1', [newer.runId]);
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
