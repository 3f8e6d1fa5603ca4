import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE, SECOND } from '@escapement/core';
import pg, { type Client } from 'pg';
import { type Database, linkConfig } from '../postgres/database.ts';
import { IN_UTC, openSession } from '../postgres/session.ts';
import { type OldPartition, readOldPartitions } from './old-partitions.ts';

/** One pruner at a time, whatever its namespace. */
const LOCK = 'escapement drop partitions';
/** Who holds a lock for longer than this, as a backup does, is not waited for. */
const LONG_MS = 500;
const LOOK_AGAIN_MS = 25;
/** How often the lock is asked for: a fleet at work may hold it for longer than 30 ms as well. */
const TRIES = 5;
const TRY_AGAIN_MS = 200;
/** Rows that move while everybody waits; the rest follows when nobody does. */
const MOVED_AT_ONCE = 500;
const LOCK_NOT_AVAILABLE = '55P03';

export interface DroppedPartitions {
  names: string[];
  /** Some are left, since somebody is reading or writing for longer than anybody may be kept waiting. */
  waiting: boolean;
}

/**
 * Drops partitions in which nothing is younger than the longest retention of any task. What is worth keeping of a week (open
 * runs, the last run of each task, what ended lately, and their attempts) goes to what is older than all weeks. Never waits
 * for a lock for more than 30 ms, and does not even ask for one that somebody holds for long: others would wait behind it.
 * Killed at any point it leaves nothing that the next call does not mend.
 */
export async function dropOldPartitions(db: Database): Promise<DroppedPartitions> {
  const client = await openSession(linkConfig(db.url, 'escapement maintenance'), {
    ...IN_UTC,
    lock_timeout: '30',
    statement_timeout: String(10 * MINUTE),
    idle_in_transaction_session_timeout: String(2 * SECOND),
  });
  try {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock(hashtext($1)) AS mine', [LOCK]);
    return rows[0]?.mine ? await dropAll(client) : { names: [], waiting: false };
  } finally {
    // Ends the session, and with it the lock.
    await client.end();
  }
}

async function dropAll(client: Client): Promise<DroppedPartitions> {
  const dropped: DroppedPartitions = { names: [], waiting: false };
  // A table's partitions are read when it is its turn: attempts are kept for the runs that were.
  for (const table of ['run', 'attempt', 'task_hour', 'run_log_chunk'] as const) {
    const old = await readOldPartitions(client, table);
    const left = await dropInOrder(client, old);
    dropped.names.push(...old.slice(0, old.length - left).map(({ name }) => name));
    dropped.waiting ||= left > 0;
  }
  return dropped;
}

/** How many are left: a week goes after those before it. */
async function dropInOrder(client: Client, partitions: readonly OldPartition[]): Promise<number> {
  for (const [index, partition] of partitions.entries())
    if (!(await drop(client, partition))) return partitions.length - index;
  return 0;
}

/** False: somebody is in the way. */
async function drop(client: Client, partition: OldPartition): Promise<boolean> {
  if (partition.attached && !(await takeOut(client, partition))) return false;
  await moveRest(client, partition);
  return await unlessLocked(() => client.query('SELECT drop_partition($1, $2)', [partition.table, partition.name]));
}

async function takeOut(client: Client, { table, name, old, kept }: OldPartition): Promise<boolean> {
  const first = kept ? await firstKept(client, kept) : [];
  if (!first) return false;
  for (let tries = 0; tries < TRIES; tries++) {
    if (await heldForLong(client, [table, name, ...(old ? [old] : [])])) return false;
    const out = await unlessLocked(async () => {
      if (old) await proveBound(client, table, name);
      await client.query('SELECT take_partition_out($1, $2, $3::text[]::tid[])', [table, name, first]);
    });
    if (out) return true;
    await delay(TRY_AGAIN_MS);
  }
  return false;
}

/** False: it would have had to wait. */
async function unlessLocked(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

/** Open runs first: nobody may miss them for a moment. Null: there are too many of them. */
async function firstKept(client: Client, kept: string): Promise<string[] | null> {
  const { rows } = await client.query<{ place: string; open: boolean }>(
    `SELECT k.ctid::text AS place, k.open FROM (${kept}) k ORDER BY k.open DESC LIMIT ${MOVED_AT_ONCE}`,
  );
  if (rows.length === MOVED_AT_ONCE && rows.at(-1)?.open) return null;
  return rows.map(({ place }) => place);
}

/** So that it need not be read while everybody waits. In two transactions: only the second one reads, under a lock that is in nobody's way. */
async function proveBound(client: Client, table: string, name: string): Promise<void> {
  await client.query('SELECT add_old_bound($1, $2)', [table, name]);
  await client.query('SELECT prove_old_bound($1)', [table]);
}

/** What was not moved at once, and what came between the look and the lock. */
async function moveRest(client: Client, { table, name, kept }: OldPartition): Promise<void> {
  if (!kept) return;
  const { rows } = await client.query<{ columns: string }>('SELECT columns_of($1::regclass) AS columns', [table]);
  const columns = rows[0]?.columns ?? '';
  await client.query(`SET "escapement.moves_rows" = 'on'`);
  await client.query(
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${name} WHERE ctid IN (SELECT k.ctid FROM (${kept}) k) ON CONFLICT DO NOTHING`,
  );
}

/** Returns as soon as all are gone who held a lock when it was called. */
async function heldForLong(client: Client, relations: readonly string[]): Promise<boolean> {
  let left = await holders(client, relations);
  for (let lookedMs = 0; left.length > 0; lookedMs += LOOK_AGAIN_MS) {
    if (lookedMs >= LONG_MS) return true;
    await delay(LOOK_AGAIN_MS);
    const now = new Set(await holders(client, relations));
    left = left.filter((holder) => now.has(holder));
  }
  return false;
}

/** Transactions that hold a lock on one of them. */
async function holders(client: Client, relations: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ holder: string }>(
    `SELECT DISTINCT l.virtualtransaction AS holder FROM pg_locks l
     WHERE l.locktype = 'relation' AND l.relation = ANY ($1::text[]::regclass[]) AND l.pid IS DISTINCT FROM pg_backend_pid()
       AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())`,
    [relations],
  );
  return rows.map(({ holder }) => holder);
}
