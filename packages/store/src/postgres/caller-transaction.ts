import { EscapementError } from '@escapement/core';
import { makePartition } from '../partitions/make-partition.ts';
import { PARTITIONED, partitionOf } from '../partitions/partition-of.ts';
import type { Database } from './database.ts';

/** A connection of the caller, in a transaction of the caller: a `Client` or `PoolClient` of pg, or what has the same `query`. */
export interface CallersClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Runs one statement, and gives its rows. */
export type RunStatement = (text: string, values: readonly unknown[]) => Promise<unknown[]>;

const NO_TRANSACTION = '25P01';
const NO_RIGHT = '42501';
const NO_TABLE = '42P01';

/**
 * Does something within a transaction of the caller. Where it fails, the transaction is as it was before. Rows for `at` find
 * their partition. Throws `no_transaction`, `other_database`, `database_rights`.
 */
export async function withinTransaction<Result>(
  db: Database,
  client: CallersClient,
  at: Date,
  work: (run: RunStatement) => Promise<Result>,
): Promise<Result> {
  // By a connection of our own: who makes a partition in a long transaction keeps others from making one.
  const runs = PARTITIONED.find(({ table }) => table === 'run');
  if (runs) await makePartition(db.pool, runs, partitionOf(runs, at));
  const ours = await placeSeenBy(async (text) => (await db.pool.query(text)).rows);
  await savepoint(client);
  try {
    const run: RunStatement = async (text, values) => (await client.query(text, [...values])).rows;
    const theirs = await placeSeenBy((text) => run(text, []));
    if (theirs !== ours) throw otherDatabase();
    const result = await work(run);
    await client.query(`RELEASE SAVEPOINT ${NAME}`);
    return result;
  } catch (error) {
    await client.query(`ROLLBACK TO SAVEPOINT ${NAME}`);
    await client.query(`RELEASE SAVEPOINT ${NAME}`);
    throw codeOf(error) === NO_RIGHT ? noRight(error) : codeOf(error) === NO_TABLE ? otherDatabase() : error;
  }
}

const NAME = 'escapement_trigger';

/** Which ledger a statement without a schema writes into. */
async function placeSeenBy(run: (text: string) => Promise<unknown[]>): Promise<string> {
  const [row] = await run(`SELECT current_database() AS database, to_regclass('run')::oid::text AS ledger`);
  return JSON.stringify(row);
}

async function savepoint(client: CallersClient): Promise<void> {
  try {
    await client.query(`SAVEPOINT ${NAME}`);
  } catch (error) {
    if (codeOf(error) !== NO_TRANSACTION) throw error;
    throw new EscapementError('no_transaction', 'the connection is in no transaction', {
      fix: 'run BEGIN on it first, or start the run without it; a pool has no transaction, a client of it has',
    });
  }
}

function otherDatabase(): EscapementError {
  return new EscapementError('other_database', 'the transaction does not see the ledger of this client', {
    fix: "its connection has to go to the database of the client's databaseUrl, with the same search_path",
  });
}

function noRight(cause: unknown): EscapementError {
  const words = cause instanceof Error ? cause.message : String(cause);
  return new EscapementError('database_rights', `the user of the transaction lacks a right: ${words}`, {
    cause,
    fix: 'GRANT escapement_api TO that user (docs/reference/database-roles.md)',
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
