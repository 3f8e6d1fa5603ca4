import { EscapementError } from '@escapement/core';
import pg, { type Client } from 'pg';
import type { FunctionFile, FunctionFiles } from './function-files.ts';
import { DROPPED, insertFunction } from './function-table.ts';
import { describeSqlError } from './sql-error.ts';

/** What a database lacks of the functions. */
export interface FunctionPlan {
  changed: readonly FunctionFile[];
  /** Names. */
  dropped: readonly string[];
}

/**
 * What is to be applied: texts that never were. One that was, and was replaced since, is that of an older version, which
 * has to go on working beside a newer one during a rolling deploy.
 */
export function planFunctions(files: FunctionFiles, applied: ReadonlyMap<string, readonly string[]>): FunctionPlan {
  return {
    changed: files.functions.filter(({ name, hash }) => !applied.get(name)?.includes(hash)),
    dropped: files.dropped.filter((name) => applied.has(name) && !applied.get(name)?.includes(DROPPED)),
  };
}

export function namesOf({ changed, dropped }: FunctionPlan): string[] {
  return [...changed.map(({ name }) => `functions/${name}`), ...dropped.map((name) => `functions/${name} (dropped)`)];
}

/** Makes the functions of triggers that are not there yet: a migration may need them. Nothing uses them before. */
export async function makeTriggerFunctions(client: Client, { changed }: FunctionPlan): Promise<void> {
  // Their tables may not be there either.
  await client.query('SET check_function_bodies = off');
  for (const file of changed.filter(({ isTrigger }) => isTrigger)) {
    const found = await signaturesOf(client, file.name);
    if (found.length === 0) await run(client, file);
  }
  await client.query('RESET check_function_bodies');
}

/** Applies a plan, inside the caller's transaction. Throws `function_failed` with file, line and Postgres' words. */
export async function applyFunctions(client: Client, { changed, dropped }: FunctionPlan): Promise<void> {
  // They may call one another: first all are made, then all are checked.
  await client.query('SET LOCAL check_function_bodies = off');
  for (const file of changed) await make(client, file);
  await client.query('SET LOCAL check_function_bodies = on');
  for (const file of changed) {
    await run(client, file);
    await insertFunction(client, file.name, file.hash);
  }
  for (const name of dropped) {
    await drop(client, await signaturesOf(client, name));
    await insertFunction(client, name, DROPPED);
  }
}

/** Of a function one signature remains: one with other arguments would be another function beside the old one. */
async function make(client: Client, file: FunctionFile): Promise<void> {
  const before = await signaturesOf(client, file.name);
  await client.query('SAVEPOINT made');
  try {
    await run(client, file);
  } catch (error) {
    if (!isOtherResult(error)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT made');
    await drop(client, before);
    return await run(client, file);
  }
  const after = await signaturesOf(client, file.name);
  if (after.some((signature) => !before.includes(signature))) await drop(client, before);
}

/** Postgres does not replace a function by one with another result or other names of arguments. */
function isOtherResult(error: unknown): boolean {
  return error instanceof EscapementError && error.cause instanceof pg.DatabaseError && error.cause.code === '42P13';
}

async function run(client: Client, { name, file, sql }: FunctionFile): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw new EscapementError(
      'function_failed',
      `the function ${name} failed at ${file}${describeSqlError(error, sql, 0)}`,
      {
        cause: error,
        fix: 'nothing was kept: correct the cause and migrate again',
      },
    );
  }
}

/** `finish_runs(uuid[],integer)`, quoted where need be. */
async function signaturesOf(client: Client, name: string): Promise<string[]> {
  const { rows } = await client.query<{ signature: string }>(
    `SELECT oid::regprocedure::text AS signature FROM pg_proc
     WHERE proname = $1 AND pronamespace = current_schema()::regnamespace`,
    [name],
  );
  return rows.map(({ signature }) => signature);
}

async function drop(client: Client, signatures: readonly string[]): Promise<void> {
  for (const signature of signatures) {
    await client.query(`DROP FUNCTION ${signature}`).catch((cause: Error) => {
      throw new EscapementError('function_failed', `the function ${signature} cannot be dropped: ${cause.message}`, {
        cause,
        fix: 'let a migration drop what needs it first',
      });
    });
  }
}
