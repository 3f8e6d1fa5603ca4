import { dirname } from 'node:path';
import { briefly, type Clock, EscapementError, nearest } from '@escapement/core';
import { maskUrl } from '@escapement/core/mask';
import { permitReading, type Reading, seesPayloads } from '@escapement/operations';
import type { Environment } from '@escapement/service/config';
import {
  type Database,
  explainHindrance,
  explainRefusal,
  isConnectionError,
  isNamespaceUsed,
  namespacesWithTasks,
  openDatabase,
  pendingMigrations,
  readFreeze,
} from '@escapement/store';
import { type Acting, whoActs } from './access/who-acts.ts';
import { frozenWords } from './output/frozen.ts';
import type { Output } from './output/print.ts';
import { type CliConfig, devCommand, readConfig, requireDatabaseUrl } from './servers.ts';

/** What a command has to work with. */
export interface Context {
  output: Output;
  env: Environment;
  cwd: string;
  clock: Clock;
  /** All of standard input. */
  stdin: () => Promise<string>;
  /** Asks a question at the terminal; undefined: there is none. */
  confirm?: ((question: string) => Promise<boolean>) | undefined;
  /** Asks for a line at the terminal; undefined: there is none. Throws `interrupted` where the terminal gives none. */
  ask?: ((question: string) => Promise<string>) | undefined;
  /** From the first call on, Ctrl-C aborts the signal instead of ending the process. */
  interruptible: () => AbortSignal;
  /** What the command shows, for whom it has a token; undefined: not known yet. */
  reading?: Reading | null;
}

export type { Acting };

export function configOf(context: Context): CliConfig {
  return readConfig(context.env, context.cwd);
}

/**
 * Gives `use` an open database that is up to date, and who acts; closes it. Throws `no_database_named`, `database_unreachable`,
 * `database_busy`, `database_read_only`, `missing_migrations`, `bad_token`, `not_allowed` where the command shows what the token may
 * not see, or what `use` throws.
 */
export async function withDatabase<Result>(
  context: Context,
  use: (db: Database, by: Acting) => Promise<Result>,
): Promise<Result> {
  return await connectDatabase(context, async (db, by) => {
    await requireMigrations(db);
    await printState(db, context.output);
    return await use(db, by);
  });
}

const EVERYTHING: Reading = { right: 'access', of: null };

/** As `withDatabase`, in whatever state the database is. */
export async function connectDatabase<Result>(
  context: Context,
  use: (db: Database, by: Acting) => Promise<Result>,
): Promise<Result> {
  const config = configOf(context);
  const url = requireDatabaseUrl(config, context.cwd);
  const db = openDatabase({
    url,
    namespace: config.namespace,
    applicationName: 'escapement cli',
    statementTimeoutMs: config.statementTimeoutMs,
    lockTimeoutMs: config.lockTimeoutMs,
    idleInTransactionTimeoutMs: config.idleInTransactionTimeoutMs,
  });
  try {
    // Who has a token is looked up in a table.
    if (config.token !== undefined) await requireMigrations(db);
    const by = await whoActs(db, config, context.env);
    await permitReading(db, by(), context.reading === undefined ? EVERYTHING : context.reading);
    if (!seesPayloads(by(), db.namespace)) context.output.hidePayloads();
    return await use(db, by);
  } catch (error) {
    const at = { url, from: config.from };
    const refused = explainRefusal(error, at);
    if (refused) throw refused;
    throw isConnectionError(error) ? unreachable(config, url, error) : (explainHindrance(error, at) ?? error);
  } finally {
    await db.close();
  }
}

/** At the head of what each command writes. */
export async function printState(db: Database, output: Output): Promise<void> {
  await printUnused(db, output);
  const freeze = await readFreeze(db);
  if (freeze) output.note(frozenWords(freeze));
}

/** A list that is empty because its namespace is mistyped looks like one of an idle fleet. */
async function printUnused(db: Database, output: Output): Promise<void> {
  if (db.namespace === DEFAULT_NAMESPACE || (await isNamespaceUsed(db))) return;
  const near = nearest(db.namespace, await namespacesWithTasks(db));
  output.note(
    `the namespace "${db.namespace}" (ESCAPEMENT_NAMESPACE) has never been used${near === undefined ? '' : `; did you mean "${near}"?`}`,
  );
}

const DEFAULT_NAMESPACE = 'default';

/** Throws `missing_migrations`. */
export async function requireMigrations(db: Database): Promise<void> {
  const missing = await pendingMigrations(db.pool);
  if (missing.length === 0) return;
  throw new EscapementError(
    'missing_migrations',
    `the database lacks ${missing.length} of this version's migrations: ${briefly(missing)}`,
    { fix: 'run `escapement migrate`' },
  );
}

function unreachable(config: CliConfig, url: string, error: unknown): EscapementError {
  const why = error instanceof Error ? error.message || String('code' in error ? error.code : error) : String(error);
  const dev =
    config.from === 'DATABASE_URL' ? '' : ` (is \`${devCommand(dirname(dirname(config.from)))}\` still running?)`;
  return new EscapementError(
    'database_unreachable',
    `Postgres at ${maskUrl(url)}, named by ${config.from}, does not answer: ${why}`,
    { fix: `start it, or correct the address${dev}`, cause: error },
  );
}

/** By what a worker is taken for dead. */
export function fleetOf(context: Context): { deadMs: number } {
  return { deadMs: configOf(context).leaseMs };
}
