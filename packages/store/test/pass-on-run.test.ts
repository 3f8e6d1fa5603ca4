import { afterAll, expect, it } from 'vitest';
import { passOnRun } from '../src/index.ts';
import { ago, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const JOB = 2;
const CODE = 'code.0123456789ab';

async function runs(name: string, columns: string, count = 1): Promise<QueuedFixture[]> {
  const taskId = await makeTask(one, { name });
  const made = await queueRuns(
    one,
    Array.from({ length: count }, (_, index) => ({ taskId, key: name, ageMs: (index + 1) * MINUTE })),
  );
  await one.pool.query(`UPDATE run SET ${columns} WHERE key = $1`, [name]);
  return made;
}

async function runWith(name: string, columns: string): Promise<QueuedFixture> {
  const [run] = await runs(name, columns);
  if (!run) throw new Error('no fixture');
  return run;
}

async function rowOf({ runId }: QueuedFixture) {
  const { rows } = await one.pool.query('SELECT state, dispatch, need FROM run WHERE id = $1', [runId]);
  return rows[0];
}

it.each([
  ['queued', JOB],
  ['planned', JOB - 1],
  ['retrying', JOB - 1],
])('a run that is %s under dispatch %i is queued anew, as its job may begin it', async (state, dispatch) => {
  const run = await runWith(`${state}-anew`, `state = '${state}', dispatch = ${dispatch}, need = '${CODE}'`);
  expect(await passOnRun(one, { ...run, dispatch: JOB, rests: false })).toEqual([
    {
      id: run.runId,
      scheduledFor: run.scheduledFor,
      dueAt: run.scheduledFor,
      queue: `default+${CODE}`,
      dispatch: JOB + 1,
    },
  ]);
  expect(await rowOf(run)).toEqual({ state: 'queued', dispatch: JOB + 1, need: CODE });
});

it.each([
  ['was queued anew', `dispatch = ${JOB + 1}`],
  ['has an older job', `dispatch = ${JOB - 1}`],
  ['is planned for the next job', `state = 'planned', dispatch = ${JOB}`],
  ['waits', `state = 'waiting', dispatch = ${JOB}, waiting_since = now()`],
  ['runs', `state = 'running', dispatch = ${JOB}, attempt = 1, worker = 'w', started_at = now(), fence = 1`],
  ['has ended', `state = 'succeeded', dispatch = ${JOB}, finished_at = now()`],
])('a run that %s is left alone', async (why, columns) => {
  const run = await runWith(why.replaceAll(' ', '-'), columns);
  const before = await rowOf(run);
  expect(await passOnRun(one, { ...run, dispatch: JOB, rests: true })).toEqual([]);
  expect(await rowOf(run)).toEqual(before);
});

it('nothing is passed on by what names no run of the namespace, and no other run with it', async () => {
  const [run, another] = await runs('elsewhere', `dispatch = ${JOB}`, 2);
  if (!run || !another) throw new Error('no fixture');
  // Of the same instant: one of each worker.
  await one.pool.query(`UPDATE run SET need = 'shell@' || id, scheduled_for = $2 WHERE id = $1`, [
    another.runId,
    run.scheduledFor,
  ]);
  const request = { ...run, dispatch: JOB, rests: false };
  expect(await passOnRun({ ...one, namespace: 'other' }, request)).toEqual([]);
  expect(await passOnRun(one, { ...request, scheduledFor: ago(MINUTE / 2) })).toEqual([]);
  expect(await passOnRun(one, request)).toHaveLength(1);
  expect([await rowOf(run), await rowOf(another)]).toMatchObject([{ dispatch: JOB + 1 }, { dispatch: JOB }]);
});

it.each([
  ['code that nobody has', CODE, 'code'],
  ['code on one worker', `${CODE}@web-1`, 'code@web-1'],
])('a run that rests needs %s', async (why, need, rests) => {
  const run = await runWith(why.replaceAll(' ', '-'), `need = '${need}', dispatch = ${JOB}`);
  expect(await passOnRun(one, { ...run, dispatch: JOB, rests: true })).toMatchObject([{ queue: `default+${rests}` }]);
  expect(await rowOf(run)).toMatchObject({ need: rests });
});
