import { by } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { freezeFleet, pausePool, pauseTask, poolDemand, resumePool } from '../src/index.ts';
import { ago, begun, MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const HOUR = 60 * MINUTE;
const ANN = by('ann@host');
const NOTHING = { running: 0, due: 0, waiting: 0, soon: 0 };

const demandOf = (pool: string, leadMs = MINUTE) => poolDemand(one, pool, { leadMs });

/** A task of a pool with a run of each age, and its next occurrence so far ahead. */
async function taskIn(pool: string, { ages = [], nextInMs = HOUR }: { ages?: number[]; nextInMs?: number }) {
  const name = `of-${pool}-${ages.length}-${nextInMs}`;
  const taskId = await makeTask(one, { name, pool, overlap: 'allow' });
  const runs = await queueRuns(
    one,
    ages.map((ageMs) => ({ taskId, key: name, ageMs })),
  );
  await one.pool.query('UPDATE task_plan SET next_run_at = $2 WHERE task_id = $1', [taskId, ago(-nextInMs)]);
  return { taskId, name, runs };
}

it('what is at work, what is due, and each task that falls due within the lead count; other pools do not', async () => {
  const { runs } = await taskIn('all', { ages: [3 * MINUTE, 2 * MINUTE, MINUTE] });
  await taskIn('all', { nextInMs: MINUTE / 2 });
  await taskIn('other', { ages: [MINUTE], nextInMs: MINUTE / 2 });
  await begun(one, runs.slice(0, 1));
  expect(await demandOf('all')).toEqual({ running: 1, due: 2, waiting: 0, soon: 1 });
  expect(await demandOf('all', 0)).toEqual({ running: 1, due: 2, waiting: 0, soon: 0 });
  expect(await demandOf('all', 2 * HOUR)).toEqual({ running: 1, due: 2, waiting: 0, soon: 2 });
  expect(await demandOf('unheard-of')).toEqual(NOTHING);
});

it('however many runs of a task fall due within the lead, it counts once: they seldom want to be at work at once', async () => {
  await taskIn('often', { ages: [-10_000, -20_000, -30_000], nextInMs: MINUTE / 2 });
  expect(await demandOf('often')).toEqual({ ...NOTHING, soon: 1 });
  expect(await demandOf('often', 0)).toEqual(NOTHING);
});

it('a paused pool has what is at work; what will be due when the pause is over counts again before that', async () => {
  const { runs } = await taskIn('paused', { ages: [3 * MINUTE, 2 * MINUTE], nextInMs: MINUTE / 2 });
  await begun(one, runs.slice(0, 1));
  await pausePool(one, 'paused', null, ANN);
  expect(await demandOf('paused')).toEqual({ running: 1, due: 0, waiting: 0, soon: 0 });
  await pausePool(one, 'paused', ago(-MINUTE / 2), ANN);
  expect(await demandOf('paused')).toEqual({ running: 1, due: 1, waiting: 0, soon: 1 });
  expect(await demandOf('paused', 0)).toEqual({ running: 1, due: 0, waiting: 0, soon: 0 });
  await resumePool(one, 'paused', ANN);
  expect(await demandOf('paused', 0)).toEqual({ running: 1, due: 1, waiting: 0, soon: 0 });
});

it('a key for which runs wait counts once; what waits for a person does not, and what waits for its next try does once that is due', async () => {
  const { runs } = await taskIn('waits', { ages: [5 * MINUTE, 4 * MINUTE, 3 * MINUTE, 2 * MINUTE] });
  const setState = (index: number, state: string, dueAt: Date) =>
    one.pool.query(`UPDATE run SET state = $2, due_at = $3, attempt = 1, waiting_since = now() WHERE id = $1`, [
      runs[index]?.runId,
      state,
      dueAt,
    ]);
  await setState(0, 'waiting', ago(MINUTE));
  await setState(1, 'waiting', ago(MINUTE));
  await setState(2, 'held', ago(MINUTE));
  await setState(3, 'retrying', ago(-2 * MINUTE));
  expect(await demandOf('waits')).toEqual({ ...NOTHING, waiting: 1 });
  expect(await demandOf('waits', 3 * MINUTE)).toEqual({ ...NOTHING, waiting: 1, soon: 1 });
});

it('an occurrence in a pause of its task, or in a freeze, does not count', async () => {
  const { name } = await taskIn('resting', { nextInMs: MINUTE / 2 });
  expect(await demandOf('resting')).toEqual({ ...NOTHING, soon: 1 });
  await pauseTask(one, { name, untilAt: ago(-20_000), by: ANN });
  expect(await demandOf('resting')).toEqual({ ...NOTHING, soon: 1 });
  await pauseTask(one, { name, untilAt: ago(-MINUTE), by: ANN });
  expect(await demandOf('resting')).toEqual(NOTHING);
  await taskIn('frozen', { nextInMs: MINUTE / 2 });
  await freezeFleet(one, null, ANN);
  expect(await demandOf('frozen')).toEqual(NOTHING);
});
