import type { TaskInput } from '@escapement/core';
import { lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { beginRuns, type Database, openDatabase, wakeRated } from '../src/index.ts';
import { beginRequest, MINUTE, makeTask, type QueuedFixture, queueRuns, stateOf } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));
beforeEach(async () => {
  await one.pool.query('DELETE FROM rate_wait');
  await one.pool.query('DELETE FROM rate_start');
  await one.pool.query('DELETE FROM rate_bucket');
});

const HOUR = 60 * MINUTE;
const RATE = 'shared';
/** A little after a look, those are looked at again that could not be woken. */
const SOON_MS = 500;
/** A start is noted to the millisecond, up or down. */
const ROUNDED_MS = 1;

/** So many may start within an hour. */
const rate = (limit: number, key = RATE) => ({ limit, perMs: HOUR, key });

interface Lined extends Partial<TaskInput> {
  name: string;
  ages?: readonly number[];
  db?: Database;
}

/** Runs of a task that wait for a token of its rate, the first in the line first. */
async function inLine({ name, ages = [1], db = one, ...input }: Lined): Promise<QueuedFixture[]> {
  const taskId = await makeTask(db, { name, overlap: 'allow', rate: rate(1), ...input });
  const runs = await queueRuns(
    db,
    ages.map((minutes) => ({ taskId, key: input.key ?? name, ageMs: minutes * MINUTE })),
  );
  await wait(db, runs, input.rate?.key ?? RATE);
  return runs;
}

async function wait(db: Database, runs: readonly QueuedFixture[], rateKey: string): Promise<void> {
  const ids = runs.map(({ runId }) => runId);
  await db.pool.query(`UPDATE run SET state = 'waiting', waiting_since = now() WHERE id = ANY ($1)`, [ids]);
  await db.pool.query(
    `INSERT INTO rate_wait (namespace, rate_key, scheduled_for, run_id, key)
     SELECT $1, $2, scheduled_for, id, key FROM run WHERE id = ANY ($3)`,
    [db.namespace, rateKey, ids],
  );
}

/** A rate's starts, the first first, each so many minutes ago. */
async function started(rateKey: string, ages: readonly number[], db = one): Promise<void> {
  const values = [db.namespace, rateKey, ages];
  await db.pool.query(
    'INSERT INTO rate_bucket (namespace, rate_key, taken, most) VALUES ($1, $2, cardinality($3::integer[]), 9)',
    values,
  );
  await db.pool.query(
    `INSERT INTO rate_start (namespace, rate_key, number, started_at, run_id)
     SELECT $1, $2, a.number, now() - a.minutes * interval '1 min', gen_random_uuid()
     FROM unnest($3::integer[]) WITH ORDINALITY AS a(minutes, number)`,
    values,
  );
}

/** Woken so many seconds ago, each with a token reserved. */
async function reserved(runs: readonly QueuedFixture[], seconds = 0): Promise<void> {
  const ids = runs.map(({ runId }) => runId);
  await one.pool.query(`UPDATE run SET state = 'queued', dispatch = dispatch + 1 WHERE id = ANY ($1)`, [ids]);
  await one.pool.query(
    `UPDATE rate_wait SET woken_at = clock_timestamp() - $2 * interval '1 s' WHERE run_id = ANY ($1)`,
    [ids, seconds],
  );
}

async function woken(db = one): Promise<string[]> {
  return (await wakeRated(db)).woken.map(({ id }) => id);
}

const setRun = (run: QueuedFixture | undefined, set: string) =>
  one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run?.runId]);

const end = (run: QueuedFixture | undefined) =>
  setRun(run, `state = 'cancelled', reason = 'no need', finished_at = now()`);

async function lineOf(rateKey: string, db = one): Promise<string[]> {
  const { rows } = await db.pool.query<{ run_id: string }>(
    'SELECT run_id FROM rate_wait WHERE namespace = $1 AND rate_key = $2 ORDER BY scheduled_for, run_id',
    [db.namespace, rateKey],
  );
  return rows.map((row) => row.run_id);
}

const ids = (...runs: (QueuedFixture | undefined)[]) => runs.map((run) => run?.runId);

it('those that wait are woken in their order, as many as there are tokens, also of one key; each once', async () => {
  const runs = await inLine({ name: 'in-order', ages: [3, 2, 1], rate: rate(2) });
  const [first, second, third] = runs;
  await started(RATE, [90, 80]);
  // Its places in other lines are nothing to this one.
  for (const [namespace, rateKey] of [
    ['other', RATE],
    ['default', 'z'],
  ])
    await one.pool.query(
      `INSERT INTO rate_wait (namespace, rate_key, scheduled_for, run_id, key) VALUES ($1, $2, $3, $4, 'in-order')`,
      [namespace, rateKey, first?.scheduledFor, first?.runId],
    );
  expect((await wakeRated(one)).woken).toMatchObject(
    [first, second].map((run) => ({ id: run?.runId, dispatch: 2, slot: null, key: 'in-order' })),
  );
  expect(await woken()).toEqual([]);
  expect(await lineOf(RATE)).toEqual(ids(...runs));
  await one.pool.query(`UPDATE rate_wait SET woken_at = woken_at - interval '6 s'`);
  expect(await woken()).toEqual(ids(third));
  expect(await lineOf(RATE)).toEqual(ids(third));
});

it('of three that were scheduled for one instant one ends: the two others are woken together', async () => {
  const taskId = await makeTask(one, { name: 'at-once', overlap: 'allow', rate: rate(2) });
  const [first] = await queueRuns(one, [{ taskId, key: 'at-once', ageMs: MINUTE }]);
  if (!first) throw new Error('no fixture');
  await one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool,
       due_at, rate_key)
     SELECT overlay(id::text placing lpad(n::text, 12, '0') from 25)::uuid, scheduled_for, namespace, task_id, task_version, plan_epoch, 'trigger',
       state, key, key_limit, overlap, pool, due_at, rate_key FROM run, generate_series(1, 3) AS n WHERE id = $1`,
    [first.runId],
  );
  const runs = [1, 2, 3].map((n) => ({
    ...first,
    runId: `${first.runId.slice(0, -12)}${String(n).padStart(12, '0')}`,
  }));
  await wait(one, runs, RATE);
  await end(runs[0]);
  expect(await woken()).toEqual(ids(runs[1], runs[2]));
});

it('one that takes a slot is woken with it, and one whose key is busy is passed by those behind it', async () => {
  const [busy, next] = await inLine({ name: 'busy', ages: [3, 2], overlap: 'wait-all', rate: rate(9) });
  const [free] = await inLine({ name: 'free', overlap: 'wait-all', rate: rate(9) });
  const taskId = await makeTask(one, { name: 'holder', key: 'busy' });
  const [holder] = await queueRuns(one, [{ taskId, key: 'busy', ageMs: MINUTE }]);
  if (!holder) throw new Error('no fixture');
  await one.pool.query(`INSERT INTO key_slot (namespace, key, slot) VALUES ('default', 'free', 1)`);
  expect((await beginRuns(one, [beginRequest(holder)]))[0]?.kind).toBe('begun');
  const answer = await wakeRated(one);
  expect(answer.woken).toMatchObject([{ id: free?.runId, slot: 1 }]);
  expect(answer.nextMs).toBeGreaterThan(0);
  expect(answer.nextMs).toBeLessThanOrEqual(SOON_MS);
  expect(await lineOf(RATE)).toEqual(ids(busy, next, free));
});

it('a key that is busy under one rate is tried again under the next', async () => {
  const [shut] = await inLine({ name: 'shut', key: 'both', rate: rate(1, 'a') });
  const [open] = await inLine({ name: 'open', key: 'both', rate: rate(1, 'b') });
  const held = await lockRows(url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', ids(shut));
  expect(await woken()).toEqual(ids(open));
  await held.release();
  expect(await woken()).toEqual(ids(shut));
});

it('says when the next token of any rate comes back', async () => {
  for (const [name, age] of [
    ['a', 20],
    ['b', 40],
    ['c', 10],
  ] as const) {
    await inLine({ name: `later-${name}`, rate: rate(2, name) });
    await started(name, [age, 1]);
  }
  // Buckets of which all tokens are there.
  for (const name of ['A', 'z']) await started(name, []);
  const { nextMs } = await wakeRated(one);
  expect(nextMs).toBeGreaterThan(19 * MINUTE);
  expect(nextMs).toBeLessThanOrEqual(20 * MINUTE + ROUNDED_MS);
});

it('looks again soon at those that could not be woken, however late other tokens come back', async () => {
  for (const name of ['a', 'c']) {
    await inLine({ name: `shut-${name}`, rate: rate(1, name) });
    await started(name, [1]);
  }
  const [locked] = await inLine({ name: 'shut-b', rate: rate(1, 'b') });
  const held = await lockRows(url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', ids(locked));
  const { woken: none, nextMs } = await wakeRated(one);
  await held.release();
  expect(none).toEqual([]);
  expect(nextMs).toBeGreaterThan(0);
  expect(nextMs).toBeLessThanOrEqual(SOON_MS);
});

it('a bucket that somebody has locked is left as it is, and looked at again at once', async () => {
  const [ended, waiting] = await inLine({ name: 'left', ages: [2, 1] });
  await end(ended);
  await started(RATE, [90]);
  await started('another', []);
  await started(RATE, [], other);
  const held = await lockRows(
    url,
    `SELECT FROM rate_bucket WHERE namespace = 'default' AND rate_key = '${RATE}' FOR UPDATE`,
  );
  const { woken: none, nextMs } = await wakeRated(one);
  expect(none).toEqual([]);
  expect(nextMs).toBeLessThanOrEqual(20);
  expect(await lineOf(RATE)).toEqual(ids(ended, waiting));
  await held.release();
  expect(await woken()).toEqual(ids(waiting));
});

it('a rate without a bucket has all its tokens, whatever buckets there are besides', async () => {
  const [first] = await inLine({ name: 'no-bucket' });
  await started('another', [1]);
  await started(RATE, [1], other);
  expect(await woken()).toEqual(ids(first));
});

it('the first that still waits says by its task when the rate opens, none that has begun or waits for another rate', async () => {
  const [begun] = await inLine({ name: 'begun', ages: [9] });
  await inLine({ name: 'elsewhere', ages: [8], rate: rate(1, 'elsewhere') });
  await inLine({ name: 'abroad', ages: [7], db: other });
  const [waiting] = await inLine({ name: 'waits', ages: [6], rate: rate(5) });
  await setRun(begun, `state = 'queued'`);
  await started(RATE, [1]);
  await started('elsewhere', [1, 1]);
  await started(RATE, [1, 1], other);
  expect(await woken()).toEqual(ids(waiting));
});

it('a token comes back after the time of the rate, by the start that took it', async () => {
  const [first] = await inLine({ name: 'comes-back', rate: rate(2) });
  await started('another', [90, 90, 90]);
  await started(RATE, [90, 90, 90], other);
  await started(RATE, [90, 59, 1]);
  const { woken: none, nextMs } = await wakeRated(one);
  expect(none).toEqual([]);
  expect(nextMs).toBeLessThanOrEqual(MINUTE + ROUNDED_MS);
  expect(nextMs).toBeGreaterThan(SOON_MS);
  await one.pool.query('UPDATE rate_start SET started_at = started_at - $1::interval WHERE number = 2', ['2 min']);
  expect(await woken()).toEqual(ids(first));
});

it('none passes the first in the line while tokens are reserved, though its own task would let it start', async () => {
  const [due] = await inLine({ name: 'reserved', ages: [3] });
  const [first] = await inLine({ name: 'strict', ages: [2] });
  const [lenient] = await inLine({ name: 'lenient', ages: [1], rate: rate(5) });
  await reserved([due as QueuedFixture]);
  expect(await wakeRated(one)).toEqual({ woken: [], nextMs: 0 });
  await one.pool.query(`UPDATE rate_wait SET woken_at = woken_at - interval '6 s'`);
  expect(await woken()).toEqual(ids(first, lenient));
});

it.each([
  ['is to be cancelled', `cancel_requested_at = now(), cancel_requested_by = 'ann'`],
  ['has waited for long enough', 'wait_until = now()'],
])('one that %s is not woken, stays in the line, and holds up nobody of its key', async (_, set) => {
  const runs = await inLine({ name: `given-up-${set.length}`, ages: [2, 1] });
  await setRun(runs[0], set);
  expect(await woken()).toEqual(ids(runs[1]));
  expect(await lineOf(RATE)).toEqual(ids(...runs));
});

it('one that has ended, or whose row is gone, loses its place under this rate alone, and holds up nobody', async () => {
  const [due] = await inLine({ name: 'due', ages: [9] });
  const [ended, gone] = await inLine({ name: 'strict-ended', ages: [8, 7] });
  const [waiting] = await inLine({ name: 'lenient-waits', ages: [6], rate: rate(5) });
  await reserved([due as QueuedFixture]);
  await started('shut', [1]);
  for (const [db, rateKey] of [
    [one, 'shut'],
    [other, RATE],
  ] as const)
    await wait(db, [ended as QueuedFixture], rateKey);
  await inLine({ name: 'first-of-shut', ages: [99], rate: rate(1, 'shut') });
  await end(ended);
  await one.pool.query('DELETE FROM run WHERE id = $1', ids(gone));
  expect(await woken()).toEqual(ids(waiting));
  expect(await lineOf(RATE)).toEqual(ids(due, waiting));
  expect(await lineOf('shut')).toContain(ended?.runId);
  expect(await lineOf(RATE, other)).toEqual(ids(ended));
});

it('only those of its namespace are woken', async () => {
  const [abroad] = await inLine({ name: 'abroad-too', ages: [2], db: other });
  const [home] = await inLine({ name: 'home', ages: [1] });
  expect(await woken()).toEqual(ids(home));
  expect(await stateOf(other, abroad?.runId ?? '')).toBe('waiting');
  expect(await woken(other)).toEqual(ids(abroad));
});

it('one that waits for another rate takes no token of this one', async () => {
  await inLine({ name: 'in-another', ages: [5], rate: rate(1, 'z') });
  const [first] = await inLine({ name: 'in-this', ages: [1] });
  await started('z', [1]);
  expect(await woken()).toEqual(ids(first));
  expect(await wakeRated(one)).toMatchObject({ woken: [] });
  expect(await lineOf('z')).toHaveLength(1);
});

it('where nobody waits there is no next look', async () => {
  await started(RATE, [1]);
  expect(await wakeRated(one)).toEqual({ woken: [], nextMs: null });
});
