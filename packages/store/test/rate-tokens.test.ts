import { by, lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openDatabase, savePool } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns } from './ledger.ts';

// The functions rate_reserve, wake_beside and rate_take: a token of each rate that a run is under, or of none.
const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
afterAll(() => one.close());
beforeEach(async () => {
  for (const table of ['rate_wait', 'rate_start', 'rate_bucket', 'pool']) await one.pool.query(`DELETE FROM ${table}`);
});

const HOUR = 60 * MINUTE;
/** Of the pool; before that of a task in the order of locks. */
const POOL = '@pool:p';
const HOME = 'default';
/** More starts than a rate of the tests lets be, all of which have counted. */
const MANY = Array.from({ length: 9 }, () => 99);
const AWAY = 'other';

interface Rated extends QueuedFixture {
  taskId: string;
}

/** A run under a rate of its task, named as the task, which allows so many starts an hour, and in the pool `p`. */
async function rated(name: string, limit: number | null = 1): Promise<Rated> {
  const rate = limit === null ? undefined : { limit, perMs: HOUR, key: name };
  const taskId = await makeTask(one, { name, pool: 'p', overlap: 'allow', rate });
  const [run] = await queueRuns(one, [{ taskId, key: name, ageMs: MINUTE }]);
  if (!run) throw new Error('no fixture');
  return { ...run, taskId };
}

const poolRate = (limit: number) => savePool(one, 'p', { rate: { limit, perMs: HOUR } }, by('ann'));

interface Bucket {
  namespace?: string;
  /** Minutes ago, of each start. */
  ages?: readonly number[];
  most?: number;
  longestMs?: number;
}

async function bucket(rateKey: string, { namespace = HOME, ages = [], most = 9, longestMs = 0 }: Bucket = {}) {
  await one.pool.query(
    `INSERT INTO rate_bucket (namespace, rate_key, taken, most, longest_ms, last_at)
     VALUES ($1, $2, cardinality($3::integer[]), $4, $5, now() - interval '1 d')`,
    [namespace, rateKey, ages, most, longestMs],
  );
  await one.pool.query(
    `INSERT INTO rate_start (namespace, rate_key, number, started_at, run_id)
     SELECT $1, $2, a.number, now() - a.minutes * interval '1 min', gen_random_uuid()
     FROM unnest($3::integer[]) WITH ORDINALITY AS a(minutes, number)`,
    [namespace, rateKey, ages],
  );
}

async function line(run: QueuedFixture, rateKey: string, namespace = HOME): Promise<void> {
  await one.pool.query(
    'INSERT INTO rate_wait (namespace, rate_key, scheduled_for, run_id, key) VALUES ($1, $2, $3, $4, $5)',
    [namespace, rateKey, run.scheduledFor, run.runId, run.key],
  );
}

/** Where a run stands in line: `!` where a token is reserved for it. */
async function linesOf(run: { runId: string }): Promise<string[]> {
  const { rows } = await one.pool.query<{ place: string }>(
    `SELECT w.namespace || ' ' || w.rate_key || CASE WHEN w.woken_at > clock_timestamp() - interval '5 s' THEN '!' ELSE '' END AS place
     FROM rate_wait w WHERE w.run_id = $1 ORDER BY 1`,
    [run.runId],
  );
  return rows.map(({ place }) => place);
}

const waiting = (run: QueuedFixture) =>
  one.pool.query(`UPDATE run SET state = 'waiting', waiting_since = now() WHERE id = $1`, [run.runId]);

async function reserve(run: Rated, rateLine: string | null = null, rateKey: string | null = run.key) {
  const { rows } = await one.pool.query<{ shut: string | null }>(
    'SELECT rate_reserve($1, $2, $3, $4, $5, $6, $7, $8) AS shut',
    [HOME, rateKey, 'p', run.taskId, run.scheduledFor, run.runId, run.key, rateLine],
  );
  return rows[0]?.shut;
}

async function beside(run: Rated): Promise<string[]> {
  const { rows } = await one.pool.query<{ run_id: string }>('SELECT run_id FROM wake_beside($1, $2, $3, $4)', [
    ...[HOME, run.key, run.runId, run.scheduledFor],
  ]);
  return rows.map((row) => row.run_id);
}

async function take(run: Rated): Promise<Date | null | undefined> {
  const { rows } = await one.pool.query<{ at: Date | null }>('SELECT rate_take($1, $2, $3, $4, $5, $6) AS at', [
    ...[HOME, run.key, 'p', run.taskId, run.scheduledFor, run.runId],
  ]);
  return rows[0]?.at;
}

async function taken(rateKey: string, namespace = HOME): Promise<number | undefined> {
  const { rows } = await one.pool.query<{ taken: number }>(
    'SELECT taken::integer FROM rate_bucket WHERE namespace = $1 AND rate_key = $2',
    [namespace, rateKey],
  );
  return rows[0]?.taken;
}

async function startsUnder(rateKey: string, namespace = HOME): Promise<number[]> {
  const { rows } = await one.pool.query<{ number: number }>(
    'SELECT number::integer FROM rate_start WHERE namespace = $1 AND rate_key = $2 ORDER BY 1',
    [namespace, rateKey],
  );
  return rows.map(({ number }) => number);
}

const hold = (rateKey: string) =>
  lockRows(url, 'SELECT FROM rate_bucket WHERE namespace = $1 AND rate_key = $2 FOR UPDATE', [HOME, rateKey]);

it('a token of each rate is reserved: of the pool and of the task', async () => {
  const run = await rated('both');
  await poolRate(1);
  expect(await reserve(run)).toBeNull();
  expect(await linesOf(run)).toEqual([`${HOME} ${POOL}!`, `${HOME} both!`]);
});

it('what is reserved anew is so from now on', async () => {
  const run = await rated('anew');
  await line(run, 'anew');
  expect(await reserve(run)).toBeNull();
  expect(await linesOf(run)).toEqual([`${HOME} anew!`]);
});

it('of two rates without a token the one that opens last is named, and the run waits for it alone', async () => {
  const run = await rated('two');
  await waiting(run);
  await poolRate(1);
  for (const [pool, task, last] of [
    [10, 20, POOL],
    [20, 10, 'two'],
  ] as const) {
    await one.pool.query('DELETE FROM rate_start');
    await one.pool.query('DELETE FROM rate_bucket');
    await bucket(POOL, { ages: [pool] });
    await bucket('two', { ages: [task] });
    expect(await reserve(run)).toBe(last);
    expect(await linesOf(run)).toEqual([`${HOME} ${last}`]);
  }
});

it('of two rates that open at one instant the pool is named', async () => {
  const run = await rated('tie');
  await waiting(run);
  await poolRate(1);
  for (const rateKey of [POOL, 'tie']) await bucket(rateKey, { ages: [1] });
  await one.pool.query('UPDATE rate_start SET started_at = (SELECT max(started_at) FROM rate_start)');
  expect(await reserve(run)).toBe(POOL);
});

it.each([
  { shut: POOL, open: 'one-1', name: 'one-1' },
  { shut: 'one-2', open: POOL, name: 'one-2' },
])('where $shut alone has none, nothing is reserved under $open', async ({ shut, open, name }) => {
  const run = await rated(name);
  await waiting(run);
  await poolRate(1);
  await bucket(shut, { ages: [1] });
  await bucket(open);
  await line(run, open);
  expect(await reserve(run, open)).toBe(shut);
  expect(await linesOf(run)).toEqual([`${HOME} ${shut}`]);
});

it('who wakes a line leaves the run where it is, if that line is the one that has no token', async () => {
  const run = await rated('same');
  await waiting(run);
  await bucket('same', { ages: [1] });
  expect(await reserve(run, 'same')).toBe('same');
  expect(await linesOf(run)).toEqual([]);
  expect(await reserve(run)).toBe('same');
  expect(await linesOf(run)).toEqual([`${HOME} same`]);
});

it('none passes those before it in a line, except who wakes that line', async () => {
  const [first, second] = [await rated('passes-first'), await rated('passes')];
  await waiting(first);
  await line(first, 'passes');
  expect(await reserve(second)).toBe('passes');
  expect(await reserve(second, 'passes')).toBeNull();
});

it('a bucket that somebody has locked is not waited for: the rate is shut', async () => {
  const run = await rated('locked');
  for (const [rateKey, namespace] of [
    ['locked', HOME],
    ['locked', AWAY],
    ['another', HOME],
  ] as const)
    await bucket(rateKey, { namespace });
  const held = await hold('locked');
  expect(await reserve(run)).toBe('locked');
  expect(await take(run)).toBeNull();
  await held.release();
  expect(await reserve(run)).toBeNull();
});

it('where there is no bucket nothing was started: a token is there, whatever buckets there are besides', async () => {
  const run = await rated('fresh');
  await bucket('fresh', { namespace: AWAY });
  await bucket('another');
  expect(await reserve(run)).toBeNull();
  // To be taken it must be there.
  expect(await take(run)).toBeNull();
});

it('a run that is under no rate any more leaves its line, when that is woken, and no other one', async () => {
  const [run, neighbour] = [await rated('no-more', null), await rated('neighbour', null)];
  await line(run, 'no-more');
  await line(run, 'elsewhere');
  await line(run, 'no-more', AWAY);
  await line({ ...neighbour, scheduledFor: run.scheduledFor }, 'no-more');
  const all = [`${HOME} elsewhere`, `${HOME} no-more`, `${AWAY} no-more`];
  expect(await reserve(run)).toBeNull();
  expect(await linesOf(run)).toEqual(all);
  expect(await reserve(run, 'no-more')).toBeNull();
  expect(await linesOf(run)).toEqual([`${HOME} elsewhere`, `${AWAY} no-more`]);
  expect(await linesOf(neighbour)).toEqual([`${HOME} no-more`]);
});

it('a run that is under the rate of its pool alone leaves the line of its task', async () => {
  const run = await rated('pool-alone', null);
  await poolRate(1);
  for (const rateKey of [POOL, 'pool-alone']) await line(run, rateKey);
  expect(await reserve(run)).toBeNull();
  expect(await linesOf(run)).toEqual([`${HOME} ${POOL}!`]);
});

it('a run is woken alone, not what was scheduled for the same instant', async () => {
  const run = await rated('instant');
  await waiting(run);
  await one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool,
       due_at, waiting_since, cancel_requested_at, cancel_requested_by)
     SELECT overlay(id::text placing end_of_id from 25)::uuid, scheduled_for, namespace, task_id, task_version, plan_epoch, 'trigger',
       state, 'twin', key_limit, overlap, 'q', due_at, waiting_since, now(), 'ann'
     FROM run, unnest(ARRAY['000000000000', 'ffffffffffff']) AS end_of_id WHERE id = $1`,
    [run.runId],
  );
  await one.pool.query(`UPDATE run SET cancel_requested_at = NULL WHERE key = 'twin' AND id < $1`, [run.runId]);
  expect(await beside(run)).toEqual([run.runId]);
  // Its own lines, by its own key.
  const { rows } = await one.pool.query('SELECT run_id, key FROM rate_wait');
  expect(rows).toEqual([{ run_id: run.runId, key: 'instant' }]);
});

it('a run beside others is queued under the next dispatch, without the reason why it waited', async () => {
  const run = await rated('woken');
  await waiting(run);
  await one.pool.query(`UPDATE run SET reason = 'over the rate' WHERE id = $1`, [run.runId]);
  expect(await beside(run)).toEqual([run.runId]);
  const { rows } = await one.pool.query('SELECT state, dispatch, reason FROM run WHERE id = $1', [run.runId]);
  expect(rows).toEqual([{ state: 'queued', dispatch: 2, reason: null }]);
  expect(await beside(run)).toEqual([]);
});

it.each([
  ['that is to be cancelled', `cancel_requested_at = now(), cancel_requested_by = 'ann'`],
  ['that has waited for long enough', 'wait_until = now()'],
])('a run %s is not woken', async (why, set) => {
  const run = await rated(why.replaceAll(' ', '-'));
  await waiting(run);
  await one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run.runId]);
  expect(await beside(run)).toEqual([]);
  expect(await linesOf(run)).toEqual([]);
});

it('a run that somebody has locked is not woken, nor waited for; nor is one without a token', async () => {
  const run = await rated('held');
  await waiting(run);
  const held = await lockRows(url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', [run.runId]);
  expect(await beside(run)).toEqual([]);
  await held.release();
  await bucket('held', { ages: [1] });
  expect(await beside(run)).toEqual([]);
});

it('a start takes a token of each rate, in its own namespace, and leaves the lines of its rates', async () => {
  const [run, neighbour] = [await rated('takes'), await rated('takes-too')];
  await poolRate(1);
  for (const rateKey of [POOL, 'takes', 'another']) {
    await bucket(rateKey);
    await line(run, rateKey);
  }
  await bucket('takes', { namespace: AWAY });
  await line(run, 'takes', AWAY);
  await line({ ...neighbour, scheduledFor: run.scheduledFor }, 'takes');
  await one.pool.query(`UPDATE rate_wait SET woken_at = clock_timestamp() WHERE run_id = $1`, [run.runId]);
  expect(await take(run)).toEqual(expect.any(Date));
  expect([await taken(POOL), await taken('takes'), await taken('another'), await taken('takes', AWAY)]).toEqual([
    ...[1, 1, 0, 0],
  ]);
  expect([await startsUnder(POOL), await startsUnder('takes'), await startsUnder('takes', AWAY)]).toEqual([
    ...[[1], [1], []],
  ]);
  expect(await linesOf(run)).toEqual([`${HOME} another!`, `${AWAY} takes!`]);
  expect(await linesOf(neighbour)).toEqual([`${HOME} takes`]);
});

it.each([POOL, 'none-taken'])('where %s has no token, none is taken of the other either', async (shut) => {
  const run = await rated(shut === POOL ? 'none-taken-2' : shut);
  await poolRate(1);
  for (const rateKey of [POOL, run.key]) await bucket(rateKey, { ages: rateKey === shut ? [1] : [] });
  expect(await take(run)).toBeNull();
  expect([await taken(POOL), await taken(run.key)]).toEqual(shut === POOL ? [1, 0] : [0, 1]);
});

it.each([POOL, 'in-order'])('a start is not before the last one of %s, where a clock was set back', async (ahead) => {
  const run = await rated(ahead === POOL ? 'in-order-2' : ahead, 2);
  await poolRate(2);
  for (const rateKey of [POOL, run.key]) await bucket(rateKey, { ages: [99] });
  const last = new Date('2126-01-01');
  await one.pool.query('UPDATE rate_bucket SET last_at = $2 WHERE rate_key = $1', [ahead, last]);
  expect(await take(run)).toEqual(last);
  const { rows } = await one.pool.query('SELECT DISTINCT last_at FROM rate_bucket');
  expect(rows).toEqual([{ last_at: last }]);
});

it('a bucket that has no start yet says nothing of when one was', async () => {
  const run = await rated('none-yet');
  await bucket('none-yet');
  await one.pool.query(`UPDATE rate_bucket SET last_at = '2126-01-01'`);
  expect((await take(run))?.getUTCFullYear()).toBeLessThan(2126);
});

it('a bucket remembers the largest limit and the longest time, and as many starts', async () => {
  const run = await rated('remembers', 2);
  await bucket('remembers', { ages: [99, 98, 97, 96, 95], most: 3, longestMs: 2 * HOUR });
  for (const [rateKey, namespace] of [
    ['remembers', AWAY],
    ['another', HOME],
  ] as const)
    await bucket(rateKey, { namespace, ages: MANY, most: 1 });
  expect(await take(run)).toEqual(expect.any(Date));
  const kept = async () => {
    const { rows } = await one.pool.query(
      `SELECT most, longest_ms::integer AS "longestMs" FROM rate_bucket WHERE namespace = $1 AND rate_key = 'remembers'`,
      [HOME],
    );
    return rows[0];
  };
  expect(await kept()).toEqual({ most: 3, longestMs: 2 * HOUR });
  expect(await startsUnder('remembers')).toEqual([4, 5, 6]);
  for (const starts of [await startsUnder('remembers', AWAY), await startsUnder('another')])
    expect(starts).toHaveLength(MANY.length);
  await one.pool.query('UPDATE rate_bucket SET most = 1, longest_ms = 1');
  expect(await take(run)).toEqual(expect.any(Date));
  expect(await kept()).toEqual({ most: 2, longestMs: HOUR });
});
