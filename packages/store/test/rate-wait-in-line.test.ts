import { by, testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openDatabase, savePool } from '../src/index.ts';
import { ago, MINUTE, makeTask, type QueuedFixture, queueRuns } from './ledger.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());

const POOL = '@pool:p';
const HOME = 'default';
const LATER = new Date('2126-01-01T00:00:00Z');

type Rated = QueuedFixture & { taskId: string };

beforeEach(async () => {
  for (const table of ['rate_wait', 'rate_bucket', 'rate_start']) await db.pool.query(`TRUNCATE ${table}`);
});

/** A run that waits under a rate of its task, named as the task, in the pool `p`. */
async function waiting(name: string, perMs = 60_000): Promise<Rated> {
  const taskId = await makeTask(db, { name, pool: 'p', overlap: 'allow', rate: { limit: 3, perMs, key: name } });
  const [run] = await queueRuns(db, [{ taskId, key: name, ageMs: MINUTE }]);
  if (!run) throw new Error('no fixture');
  await db.pool.query(
    `UPDATE run SET state = 'waiting', waiting_since = now(), pool = 'p', rate_key = $2, blocked_by = gen_random_uuid() WHERE id = $1`,
    [run.runId, name],
  );
  return { ...run, taskId };
}

async function wait(run: Rated, rateKey = run.key, opensAt = LATER): Promise<string> {
  const { rows } = await db.pool.query('SELECT rate_wait_in_line($1, $2, $3, $4, $5, $6, $7) AS reason', [
    ...[HOME, rateKey, run.taskId, run.scheduledFor, run.runId, run.key, opensAt],
  ]);
  return rows[0].reason;
}

async function line(run: QueuedFixture, rateKey: string, namespace = HOME): Promise<void> {
  await db.pool.query(
    'INSERT INTO rate_wait (namespace, rate_key, scheduled_for, run_id, key, woken_at) VALUES ($1, $2, $3, $4, $5, now())',
    [namespace, rateKey, run.scheduledFor, run.runId, run.key],
  );
}

/** Where a run stands in line: `!` where it has been woken. */
async function linesOf(run: QueuedFixture): Promise<string[]> {
  const { rows } = await db.pool.query<{ place: string }>(
    `SELECT namespace || ' ' || rate_key || CASE WHEN woken_at IS NOT NULL THEN '!' ELSE '' END AS place FROM rate_wait
     WHERE run_id = $1 ORDER BY 1`,
    [run.runId],
  );
  return rows.map(({ place }) => place);
}

async function runOf(run: QueuedFixture) {
  const { rows } = await db.pool.query('SELECT reason, blocked_by IS NOT NULL AS blocked FROM run WHERE id = $1', [
    run.runId,
  ]);
  return rows[0];
}

const ofPool = () => savePool(db, 'p', { rate: { limit: 2, perMs: 1500 } }, by('ann'));

it('a run is noted as one that waits for the rate, and says so', async () => {
  const run = await waiting('waits');
  const reason = await wait(run);
  expect(reason).toBe('over the rate of 3 in 60 s under "waits": may start at 2126-01-01T00:00:00.000Z');
  expect(await linesOf(run)).toEqual([`${HOME} waits`]);
  expect(await runOf(run)).toEqual({ reason, blocked: false });
});

it('the rate of a pool is named as that, and a time that is no whole seconds in milliseconds', async () => {
  await ofPool();
  expect(await wait(await waiting('of-pool'), POOL)).toBe(
    'over the rate of 2 in 1500 ms of the pool "p": may start at 2126-01-01T00:00:00.000Z',
  );
});

it('a turn that comes after the next token is what is told', async () => {
  const run = await waiting('turn');
  await db.pool.query(
    `INSERT INTO rate_bucket (namespace, rate_key, taken, most, longest_ms, last_at) VALUES ($1, 'turn', 3, 3, 0, now())`,
    [HOME],
  );
  await db.pool.query(
    `INSERT INTO rate_start (namespace, rate_key, number, started_at, run_id)
     SELECT $1, 'turn', n, $2, gen_random_uuid() FROM generate_series(1, 3) n`,
    [HOME, LATER],
  );
  expect(await wait(run, 'turn', ago(0))).toContain('may start at 2126-01-01T00:01:00.000Z');
});

it('a run that has been woken waits again', async () => {
  const run = await waiting('again');
  await line(run, 'again');
  await wait(run);
  expect(await linesOf(run)).toEqual([`${HOME} again`]);
});

it('a run waits for one of its rates at a time, and leaves no other line', async () => {
  await ofPool();
  const [run, neighbour] = [await waiting('one-line'), await waiting('neighbour')];
  await db.pool.query('UPDATE run SET scheduled_for = $2 WHERE id = $1', [neighbour.runId, run.scheduledFor]);
  const beside = { ...neighbour, scheduledFor: run.scheduledFor };
  for (const rateKey of [POOL, 'one-line', 'neighbour']) await line(run, rateKey);
  await line(run, POOL, 'other');
  await line(beside, POOL);
  await wait(run);
  expect(await linesOf(run)).toEqual([`${HOME} neighbour!`, `${HOME} one-line`, `other ${POOL}!`]);
  expect(await linesOf(beside)).toEqual([`${HOME} ${POOL}!`]);
  await wait(run, POOL);
  expect(await linesOf(run)).toEqual([`${HOME} ${POOL}`, `${HOME} neighbour!`, `other ${POOL}!`]);
});

it('the reason is written to the run alone, and only while it waits', async () => {
  const [run, neighbour] = [await waiting('reason'), await waiting('reason-beside')];
  await db.pool.query('UPDATE run SET scheduled_for = $2 WHERE id = $1', [neighbour.runId, run.scheduledFor]);
  await wait(run);
  expect(await runOf(neighbour)).toEqual({ reason: null, blocked: true });
  const queued = await waiting('queued');
  await db.pool.query(`UPDATE run SET state = 'queued' WHERE id = $1`, [queued.runId]);
  await wait(queued);
  expect(await runOf(queued)).toEqual({ reason: null, blocked: true });
  expect(await linesOf(queued)).toEqual([`${HOME} queued`]);
});

it('who keeps the rates is told', async () => {
  const run = await waiting('told');
  const client = await db.pool.connect();
  const heard: (string | undefined)[] = [];
  client.on('notification', ({ payload }) => heard.push(payload));
  await client.query('LISTEN escapement_wake');
  await wait(run);
  await client.query('SELECT 1');
  expect(heard).toEqual([`${HOME} rate`]);
  await client.query('UNLISTEN escapement_wake');
  client.release();
});
