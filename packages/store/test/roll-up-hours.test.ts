import { HOUR } from '@escapement/core';
import { lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openDatabase, type RollUpAnswer, rollUpHours } from '../src/index.ts';
import { ago, makeTask } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

const PIECE = 100;

beforeEach(async () => {
  for (const table of ['roll_up', 'task_hour', 'run', 'task']) await one.pool.query(`TRUNCATE ${table} CASCADE`);
});

/** The start of the hour that was so many hours ago. */
const hourAgo = (hours: number): Date => new Date(Math.floor(ago(hours * HOUR).getTime() / HOUR) * HOUR);

/** A task that was made so many hours ago. */
async function taskOf(name: string, hours = 1, db = one): Promise<string> {
  const id = await makeTask(db, { name });
  await one.pool.query(`UPDATE task SET created_at = now() - $2 * interval '1 h' WHERE id = $1`, [id, hours]);
  return id;
}

interface Begun {
  hours: number;
  /** Of the hour that is known to be closed; null: of none. */
  closed?: number | null;
  closedBy?: string;
}

/** All before that hour is rolled up; and it is closed, by a transaction that is long over. */
async function begin({ hours, closed = hours, closedBy = '3' }: Begun, db = one): Promise<void> {
  const until = hourAgo(hours);
  const closedHour = closed === null ? null : new Date(until.getTime() + (hours - closed) * HOUR);
  await one.pool.query(
    'INSERT INTO roll_up (namespace, rolled_until, closed_hour, closed_by) VALUES ($1, $2, $3, $4)',
    [...[db.namespace, until, closedHour, closed === null ? null : closedBy]],
  );
}

interface RollUpStatus {
  until: Date;
  after: string | null;
  closed: Date | null;
}

async function statusOf(db = one): Promise<RollUpStatus> {
  const { rows } = await one.pool.query<RollUpStatus>(
    'SELECT rolled_until AS until, after_task AS after, closed_hour AS closed FROM roll_up WHERE namespace = $1',
    [db.namespace],
  );
  if (!rows[0]) throw new Error('nothing was begun');
  return rows[0];
}

const hourAfter = ({ until }: RollUpStatus): Date => new Date(until.getTime() + HOUR);

async function failed(taskId: string, at: Date): Promise<void> {
  await one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool,
       due_at, finished_at) VALUES (gen_random_uuid(), $2, 'default', $1, 1, 1, 'trigger', 'failed', 'so', 'k', 1, 'allow', 'default', $2, $2)`,
    [taskId, at],
  );
}

async function rolledUp(): Promise<string[]> {
  const { rows } = await one.pool.query<{ name: string }>(
    'SELECT t.name FROM task_hour h JOIN task t ON t.id = h.task_id ORDER BY 1',
  );
  return rows.map(({ name }) => name);
}

/** Asks until no transaction is waited for: those of the whole server are, also of other tests. */
async function roll(limit = PIECE, db = one): Promise<RollUpAnswer> {
  for (;;) {
    const answer = await rollUpHours(db, limit);
    if (answer !== 'waiting') return answer;
  }
}

it('where nothing was rolled up before, it begins with the hour of the first task of the namespace', async () => {
  const before = hourAgo(5);
  await taskOf('newer', 3);
  await taskOf('older', 5);
  await taskOf('oldest-abroad', 9, other);
  expect(await rollUpHours(one, PIECE)).toBe('rolled');
  expect([before, hourAgo(5)]).toContainEqual((await statusOf()).until);
});

it('it does not begin before what is kept of runs', async () => {
  await taskOf('ancient', 60 * 24);
  const before = hourAgo(30 * 24);
  await rollUpHours(one, PIECE);
  expect([before, hourAgo(30 * 24)]).toContainEqual((await statusOf()).until);
});

it('without a task it begins with this hour', async () => {
  const before = hourAgo(0);
  expect(await rollUpHours(one, PIECE)).toBe('rolled');
  expect([before, hourAgo(0)]).toContainEqual((await statusOf()).until);
});

it('each namespace begins by itself', async () => {
  await begin({ hours: 5 }, other);
  const before = await statusOf(other);
  expect(await rollUpHours(one, PIECE)).toBe('rolled');
  expect(await statusOf()).toMatchObject({ after: null, closed: null });
  expect(await statusOf(other)).toEqual(before);
});

it('who finds somebody else at it neither waits nor begins anew', async () => {
  await begin({ hours: 5 });
  const before = await statusOf();
  const held = await lockRows(url, 'SELECT FROM roll_up FOR UPDATE');
  expect(await Promise.race([rollUpHours(one, PIECE), held.awaited()])).toBe('busy');
  await held.release();
  expect(await statusOf()).toEqual(before);
});

it('before an hour is over nothing is to be done', async () => {
  await begin({ hours: -1, closed: null });
  expect(await rollUpHours(one, PIECE)).toBe('done');
});

it.each<[string, Partial<Begun>]>([
  ['that is not closed', { closed: null }],
  ['after the one that is closed', { closed: 6 }],
  ['that was closed by a transaction of another server', { closedBy: '999999999999' }],
])('an hour %s is closed first, in its own namespace', async (_, how) => {
  await begin({ hours: 5, ...how });
  await begin({ hours: 5, closed: 5 }, other);
  const abroad = await statusOf(other);
  const until = (await statusOf()).until;
  // Nothing is closed that might still be written: half a minute after its end.
  const closed = () => new Date(Math.floor((ago(HOUR).getTime() - 30_000) / HOUR) * HOUR);
  const earliest = closed();
  expect(await rollUpHours(one, PIECE)).toBe('waiting');
  const status = await statusOf();
  expect([earliest, closed()]).toContainEqual(status.closed);
  expect(status.until).toEqual(until);
  expect(await statusOf(other)).toEqual(abroad);
});

it.each([5, 4])('an hour that is closed, by itself or with a later one, is rolled up', async (closed) => {
  await begin({ hours: 5, closed });
  const status = await statusOf();
  expect(await roll()).toBe('rolled');
  expect(await statusOf()).toEqual({ ...status, until: hourAfter(status) });
});

it('the transaction that closed an hour must be over', async () => {
  const open = await lockRows(url, 'SELECT pg_current_xact_id()');
  const { rows } = await one.pool.query<{ id: string }>(
    `SELECT backend_xid::text AS id FROM pg_stat_activity WHERE datname = current_database() AND backend_xid IS NOT NULL`,
  );
  await begin({ hours: 5, closedBy: rows[0]?.id ?? '' });
  expect(await rollUpHours(one, PIECE)).toBe('waiting');
  await open.release();
  expect(await roll()).toBe('rolled');
});

it('the next transaction to come has closed no hour: it is closed anew', async () => {
  await begin({ hours: 5 });
  const status = await statusOf();
  const client = await one.pool.connect();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  // The transaction sees the same numbers from its first statement on.
  const { rows } = await client.query('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next');
  await client.query('UPDATE roll_up SET closed_by = $1::xid8', [rows[0].next]);
  const { rows: answers } = await client.query('SELECT roll_up_hours($1, 1) AS answer', [one.namespace]);
  await client.query('COMMIT');
  client.release();
  expect(answers).toEqual([{ answer: 'waiting' }]);
  expect((await statusOf()).closed).not.toEqual(status.closed);
});

it('tasks are rolled up in the order of their ids, each once, those of the namespace alone', async () => {
  await begin({ hours: 5 });
  await begin({ hours: 5 }, other);
  const [status, abroad] = [await statusOf(), await statusOf(other)];
  const ids = [await taskOf('a'), await taskOf('b'), await taskOf('c', 1, other)];
  for (const id of ids) await failed(id, status.until);
  for (const after of ids.slice(0, 2).toSorted()) {
    expect(await roll(1)).toBe('rolled');
    expect(await statusOf()).toEqual({ ...status, after });
    expect(await statusOf(other)).toEqual(abroad);
  }
  expect(await rolledUp()).toEqual(['a', 'b']);
  expect(await roll(1)).toBe('rolled');
  expect(await statusOf()).toMatchObject({ after: null, until: hourAfter(status) });
  expect(await statusOf(other)).toEqual(abroad);
});

it('a piece that is not full is the last one of its hour', async () => {
  await begin({ hours: 5 });
  const status = await statusOf();
  for (const name of ['a', 'b']) await failed(await taskOf(name), status.until);
  await roll(3);
  expect(await rolledUp()).toEqual(['a', 'b']);
  expect((await statusOf()).until).toEqual(hourAfter(status));
});
