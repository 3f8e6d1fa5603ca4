import { newRunId } from '@escapement/core';
import { afterAll, expect, it } from 'vitest';
import { areStale } from '../src/index.ts';
import { ago, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

/** What the states below need besides. */
const WHOLE = `attempt = 1, worker = 'w', started_at = now(), fence = 1, waiting_since = now(), reason = 'why'`;
const ENDED = ['succeeded', 'failed', 'cancelled', 'skipped'];
const JOB = 2;

async function queued(name: string): Promise<QueuedFixture> {
  const taskId = await makeTask(one, { name });
  const [run] = await queueRuns(one, [{ taskId, key: name, ageMs: MINUTE }]);
  if (!run) throw new Error('no fixture');
  return run;
}

async function runIn(state: string, dispatch: number): Promise<QueuedFixture> {
  const run = await queued(`${state}-${dispatch}`);
  await one.pool.query(
    `UPDATE run SET state = $2, dispatch = $3, ${WHOLE}, finished_at = CASE WHEN $4 THEN now() END WHERE id = $1`,
    [run.runId, state, dispatch, ENDED.includes(state)],
  );
  return run;
}

it.each([
  ['queued', JOB],
  ['planned', JOB - 1],
  ['retrying', JOB - 1],
])('a run that is %s under dispatch %i waits for the second job', async (state, dispatch) => {
  const { runId } = await runIn(state, dispatch);
  expect(await areStale(one, [{ runId, dispatch: JOB }])).toEqual([false]);
});

it.each<[state: string, dispatch: number]>([
  ['queued', JOB - 1],
  ['queued', JOB + 1],
  ['planned', JOB],
  ['planned', JOB - 2],
  ['retrying', JOB],
  ['waiting', JOB],
  ['waiting', JOB - 1],
  ['running', JOB],
  ['unknown', JOB],
  ['held', JOB - 1],
  ...ENDED.map((state) => [state, JOB] satisfies [string, number]),
])('a run that is %s under dispatch %i does not', async (state, dispatch) => {
  const { runId } = await runIn(state, dispatch);
  expect(await areStale(one, [{ runId, dispatch: JOB }])).toEqual([true]);
});

it('nobody waits for the job of a run that is not there, or in another namespace', async () => {
  const { runId, dispatch } = await queued('elsewhere');
  const jobs = [{ runId, dispatch }];
  expect(await areStale(one, jobs)).toEqual([false]);
  expect(await areStale({ ...one, namespace: 'other' }, jobs)).toEqual([true]);
  expect(await areStale(one, [{ runId: newRunId(ago(MINUTE)), dispatch }])).toEqual([true]);
});

it('answers in the order of the jobs, once for each, and for none with nothing', async () => {
  const [first, second] = [await queued('first'), await queued('second')];
  const right = [second, first].map(({ runId, dispatch }) => ({ runId, dispatch }));
  const gone = { runId: newRunId(ago(2 * MINUTE)), dispatch: 1 };
  const old = { runId: first.runId, dispatch: 0 };
  expect(await areStale(one, [gone, ...right, old, ...right, gone, old])).toEqual([
    true,
    false,
    false,
    true,
    false,
    false,
    true,
    true,
  ]);
  expect(await areStale(one, [])).toEqual([]);
});
