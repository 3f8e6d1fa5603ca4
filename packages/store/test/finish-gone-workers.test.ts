import { afterAll, beforeEach, expect, it } from 'vitest';
import { findRunsOfGoneWorkers, finishRunsOfGoneWorkers, writeHeartbeat } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const LIMIT = 100;
const GONE = 'shell@gone';

beforeEach(async () => {
  await one.pool.query('DELETE FROM process');
  await one.pool.query('DELETE FROM run');
});

/** Runs of a task that belong to a worker, of these ages. */
async function ofWorker(name: string, ages: readonly number[] = [2 * MINUTE], need = GONE): Promise<QueuedFixture[]> {
  const taskId = await makeTask(one, { name });
  const runs = await queueRuns(
    one,
    ages.map((ageMs) => ({ taskId, key: name, ageMs })),
  );
  await one.pool.query('UPDATE run SET need = $2 WHERE key = $1', [name, need]);
  return runs;
}

/** The only run of a task that belongs to a worker nobody expects. */
async function ofGone(name: string): Promise<QueuedFixture> {
  const [run] = await ofWorker(name);
  if (!run) throw new Error('no fixture');
  return run;
}

const set = (run: QueuedFixture, columns: string) =>
  one.pool.query(`UPDATE run SET ${columns} WHERE id = $1`, [run.runId]);

const found = async () => (await findRunsOfGoneWorkers(one, LIMIT)).map(({ id }) => id);

async function heartbeat(name: string, more: { pools?: string[]; offers?: string[] } = {}): Promise<void> {
  const info = {
    id: `life-of-${name}`,
    role: 'worker',
    host: 'h',
    pid: 1,
    appVersion: '0',
    pools: ['default'],
  } as const;
  await writeHeartbeat(one, { ...info, name, isNamed: true, ...more }, { activeRuns: [], clockOffsetMs: 0 });
}

const heardAgo = (name: string, interval: string) =>
  one.pool.query(
    `UPDATE process SET heartbeat_at = now() - $2::interval, started_at = now() - interval '1 week' WHERE name = $1`,
    [name, interval],
  );

async function endOf(run: QueuedFixture) {
  const { rows } = await one.pool.query('SELECT state, reason FROM run WHERE id = $1', [run.runId]);
  return rows[0];
}

it('finds a run of a worker that nobody expects, of this namespace alone', async () => {
  const run = await ofGone('of-gone');
  expect(await findRunsOfGoneWorkers(one, LIMIT)).toEqual([
    {
      id: run.runId,
      scheduled_for: run.scheduledFor,
      state: 'queued',
      dispatch: 1,
      attempt: 0,
      of_worker: 'gone',
      away: { heardAt: null },
    },
  ]);
  expect(await findRunsOfGoneWorkers({ ...one, namespace: 'other' }, LIMIT)).toEqual([]);
});

it.each([
  ['of a trigger that is planned', `state = 'planned', origin = 'trigger'`],
  ['between two attempts', `state = 'retrying', attempt = 1`],
  ['that waits for its key', `state = 'waiting', waiting_since = now()`],
])('finds a run %s', async (why, columns) => {
  const run = await ofGone(why.replaceAll(' ', '-'));
  await set(run, columns);
  expect(await found()).toEqual([run.runId]);
});

it.each([
  ['belongs to no worker', `need = 'shell'`],
  ['has no need', 'need = NULL'],
  ['runs', `state = 'running', attempt = 1, worker = 'w', started_at = now(), fence = 1`],
  ['waits for its repeat', `state = 'planned'`],
  ['is held', `state = 'held'`],
  ['is unknown', `state = 'unknown', reason = 'why'`],
  ['has succeeded', `state = 'succeeded', finished_at = now()`],
  ['is due only since half a minute', `due_at = now() - interval '30 s'`],
  ['is due later', `due_at = now() + interval '1 h'`],
])('finds no run that %s', async (why, columns) => {
  const run = await ofGone(why.replaceAll(' ', '-'));
  await set(run, columns);
  expect(await found()).toEqual([]);
});

it('finds none of a worker that is expected, whatever it offers', async () => {
  const run = await ofGone('expected');
  await heartbeat('gone', { offers: [] });
  await heardAgo('gone', '23 h');
  expect(await found()).toEqual([]);
  await heardAgo('gone', '25 h');
  expect(await found()).toEqual([run.runId]);
});

it('asks of each worker and pool apart, and finds each run once', async () => {
  const [first, second] = await ofWorker('of-both', [3 * MINUTE, 2 * MINUTE], GONE);
  const [here] = await ofWorker('here', [2 * MINUTE], 'shell@here');
  const [elsewhere] = await ofWorker('elsewhere', [MINUTE + 30_000], 'shell@here');
  if (!first || !here || !elsewhere) throw new Error('no fixture');
  await set(elsewhere, `pool = 'other'`);
  await heartbeat('here');
  expect(await found()).toEqual([first.runId, second?.runId, elsewhere.runId]);
});

it('takes those first that have been due for longest', async () => {
  const ages = [5, 9, 3, 7].map((minutes) => minutes * MINUTE);
  const [fifth, ninth, third, seventh] = await ofWorker('in-order', ages);
  expect(await found()).toEqual([ninth, seventh, fifth, third].map((run) => run?.runId));
  expect((await findRunsOfGoneWorkers(one, 2)).map(({ id }) => id)).toEqual([ninth?.runId, seventh?.runId]);
});

it('ends as missed what has not begun, and says when its worker was heard last', async () => {
  const run = await ofGone('missed');
  await heartbeat('gone');
  await one.pool.query(`UPDATE process SET heartbeat_at = '2026-01-30T03:00:00Z', started_at = '2026-01-30T02:00:00Z'`);
  expect(await finishRunsOfGoneWorkers(one, await findRunsOfGoneWorkers(one, LIMIT))).toBe(1);
  expect(await endOf(run)).toEqual({
    state: 'missed',
    reason: 'it belongs to worker gone, which is away since 2026-01-30T03:00:00.000Z and no longer expected',
  });
});

it('ends as failed what has begun', async () => {
  const run = await ofGone('failed');
  await set(run, `state = 'retrying', attempt = 1`);
  expect(await finishRunsOfGoneWorkers(one, await findRunsOfGoneWorkers(one, LIMIT))).toBe(1);
  expect(await endOf(run)).toEqual({
    state: 'failed',
    reason: 'it belongs to worker gone, which is away and no longer expected; its attempt 1 did not end there',
  });
});

it('a worker that lives, and serves the pool of its run no more, is told as away', async () => {
  const run = await ofGone('serves-another');
  await heartbeat('gone', { pools: ['other'] });
  const rows = await findRunsOfGoneWorkers(one, LIMIT);
  expect(rows).toMatchObject([{ id: run.runId, away: null }]);
  expect(await finishRunsOfGoneWorkers(one, rows)).toBe(1);
  expect(await endOf(run)).toEqual({
    state: 'missed',
    reason: 'it belongs to worker gone, which is away and no longer expected',
  });
});

it.each([
  ['was queued anew', 'dispatch = 2'],
  ['is in another state', `state = 'waiting', waiting_since = now()`],
  ['has begun', `state = 'retrying', attempt = 1`],
])('leaves alone what %s since it was found', async (why, columns) => {
  const [run, other] = [await ofGone(why.replaceAll(' ', '-')), await ofGone(`not-${why.replaceAll(' ', '-')}`)];
  const rows = await findRunsOfGoneWorkers(one, LIMIT);
  await set(run, columns);
  expect(await finishRunsOfGoneWorkers(one, rows)).toBe(1);
  expect(await endOf(run)).not.toMatchObject({ state: 'missed' });
  expect(await endOf(other)).toMatchObject({ state: 'missed' });
  expect(await finishRunsOfGoneWorkers(one, rows)).toBe(0);
});
