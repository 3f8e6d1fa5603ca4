import { briefly, EscapementError } from '@escapement/core';
import pg, { type Client, type Pool } from 'pg';
import { explainRefusal } from '../postgres/refusal.ts';
import { applyRoles } from '../roles/apply-roles.ts';
import { actAsOwner, prefixInUse } from '../roles/owner.ts';
import { ROLE_PREFIX } from '../roles/roles-file.ts';
import { connect } from './connect.ts';
import { type FunctionFiles, readFunctions } from './function-files.ts';
import { createFunctionTable, readApplied } from './function-table.ts';
import { applyFunctions, type FunctionPlan, makeTriggerFunctions, namesOf, planFunctions } from './functions.ts';
import { findFunctionsDir, type Migration, matchesChecksum, readMigrations } from './migration-files.ts';
import { createTable, insertApplied, insertFailed, type MigrationRow, readRows } from './migration-table.ts';
import { OLDEST_PROGRAM, requireServedProgram } from './oldest-program.ts';
import { describeSqlError } from './sql-error.ts';

/** Prisma's own lock for migrations: it and this runner keep out of each other's way. */
const LOCK = 72707369;

export interface MigrateOptions {
  /** The folder that holds `<timestamp_name>/migration.sql`. Default: the one that comes with this package. */
  migrationsDir?: string | undefined;
  /** The folder that holds `<function>.sql`. Default: the one that comes with this package; none beside a `migrationsDir`. */
  functionsDir?: string | undefined;
  /** Told in a line each what is applied, or waited for. Default: silent. */
  log?: ((line: string) => void) | undefined;
  /** Whether to create a database that does not exist. Default false: an error says so. */
  createDatabase?: boolean;
  /**
   * Sets up the roles of `prisma/roles.sql`, their names beginning with the prefix (default: that in use, or `escapement_`). Default: those
   * that are there are given what is new; where there are none, none are made.
   */
  roles?: { prefix?: string | undefined } | undefined;
}

export interface Migrated {
  /** Names of the migrations applied now, in order, and of the functions: `functions/finish_runs`. */
  applied: string[];
  /** How many had been applied before. */
  already: number;
  /** The prefix of the roles that have their rights now. Absent: the database is set up without roles. */
  rolePrefix?: string;
}

/**
 * Brings a database up to date: each migration in a transaction of its own, the functions in that of the last one, under
 * an advisory lock, so that any number of processes may call it at once. Compatible with Prisma's `_prisma_migrations`.
 *
 * Throws an EscapementError: `migration_failed` (the file, line and Postgres' words; nothing of that file
 * remains, what went before stays), `migration_changed`, `migration_of_another_history`, `migration_unfinished` (of Prisma's making),
 * `function_failed` and `function_misnamed`, `program_too_old`, `no_migrations`, `no_database`, `database_refused`, `database_rights`,
 * `database_unreachable`, `database_pools_transactions`, `may_not_create_roles`, `roles_failed`, `bad_role_prefix`.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<Migrated> {
  try {
    return await bringUpToDate(databaseUrl, options);
  } catch (error) {
    throw explainRefusal(error, { url: databaseUrl }) ?? error;
  }
}

async function bringUpToDate(databaseUrl: string, options: MigrateOptions): Promise<Migrated> {
  const { migrationsDir, log = () => {}, createDatabase = false } = options;
  const migrations = await readMigrations(migrationsDir);
  const functions = await functionsOf(options);
  const client = await connect(databaseUrl, createDatabase);
  try {
    await lock(client, log);
    await actAsOwner(client);
    await createTable(client);
    await createFunctionTable(client);
    const pending = planMigrations(migrations, await readRows(client));
    const before = await readApplied(client);
    if (before.has(OLDEST_PROGRAM)) await requireServedProgram(client);
    const changes = planFunctions(functions, before);
    await makeTriggerFunctions(client, changes);
    for (const migration of pending) {
      await apply(client, migration, migration === pending.at(-1) ? changes : NO_CHANGES);
      log(`migrated ${migration.name}`);
    }
    if (pending.length === 0) await inTransaction(client, () => applyFunctions(client, changes));
    if (namesOf(changes).length > 0) log(`applied ${briefly(namesOf(changes))}`);
    const rolePrefix = await grantRights(client, options.roles);
    const applied = [...pending.map(({ name }) => name), ...namesOf(changes)];
    const done = { applied, already: migrations.length - pending.length };
    return rolePrefix === null ? done : { ...done, rolePrefix };
  } finally {
    // Ends the session, and with it the lock.
    await client.end();
  }
}

/** As who signed in, who may do more than the owner of the tables. What is new has no rights yet. */
async function grantRights(client: Client, asked: MigrateOptions['roles']): Promise<string | null> {
  const prefix = asked?.prefix ?? (await prefixInUse(client)) ?? (asked ? ROLE_PREFIX : null);
  if (prefix === null) return null;
  await client.query('RESET ROLE');
  await inTransaction(client, () => applyRoles(client, prefix));
  return prefix;
}

const NO_CHANGES: FunctionPlan = { changed: [], dropped: [] };

/**
 * Names of the migrations and functions that the database lacks, in order; empty = up to date. Throws as `migrate` where a
 * migration was changed, and where the database serves this program no more.
 */
export async function pendingMigrations(
  pool: Pool,
  options: Pick<MigrateOptions, 'migrationsDir' | 'functionsDir'> = {},
): Promise<string[]> {
  const migrations = planMigrations(await readMigrations(options.migrationsDir), await readRows(pool));
  const applied = await readApplied(pool);
  if (applied.has(OLDEST_PROGRAM)) await requireServedProgram(pool);
  const functions = planFunctions(await functionsOf(options), applied);
  return [...migrations.map(({ name }) => name), ...namesOf(functions)];
}

function functionsOf({ migrationsDir, functionsDir }: MigrateOptions): Promise<FunctionFiles> {
  return readFunctions(functionsDir ?? (migrationsDir === undefined ? findFunctionsDir() : undefined));
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  try {
    await work();
    await client.query('COMMIT');
  } catch (error) {
    // A connection that is gone has rolled back already.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function lock(client: Client, log: (line: string) => void): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [LOCK]);
  if (rows[0]?.taken) return;
  log('waiting for another process that migrates this database');
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
}

/**
 * What remains to be applied. Rows without a file are no error: a newer version has been here, and
 * during a rolling deploy the older one has to go on working. But the first file is everybody's.
 */
function planMigrations(migrations: Migration[], rows: MigrationRow[]): Migration[] {
  const byName = new Map(rows.map((row) => [row.migration_name, row]));
  const isReplaced = ({ replaces }: Migration) => replaces !== undefined && byName.has(replaces);
  const [first] = migrations;
  const other = rows.find(({ finished_at: finishedAt }) => finishedAt !== null);
  if (first && other && !byName.has(first.name) && !isReplaced(first)) throw ofAnotherHistory(other, first);
  return migrations.filter((migration) => {
    const row = byName.get(migration.name);
    if (!row) return !isReplaced(migration);
    if (row.finished_at === null) throw unfinished(row);
    if (!matchesChecksum(migration.sql, row.checksum)) throw changed(migration);
    return false;
  });
}

async function apply(client: Client, migration: Migration, functions: FunctionPlan): Promise<void> {
  let completed = 0;
  const count = () => {
    completed += 1;
  };
  try {
    await inTransaction(client, async () => {
      client.connection.on('commandComplete', count);
      await client.query(migration.sql).finally(() => client.connection.off('commandComplete', count));
      await insertApplied(client, migration);
      await applyFunctions(client, functions);
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    const what = describeSqlError(error, migration.sql, completed);
    await insertFailed(client, migration, what);
    throw new EscapementError(
      'migration_failed',
      `the migration ${migration.name} failed at ${migration.file}${what}`,
      {
        cause: error,
        fix: 'nothing of it was kept: correct the cause and migrate again',
      },
    );
  }
}

function changed(migration: Migration): EscapementError {
  return new EscapementError('migration_changed', `the migration ${migration.name} was changed after it was applied`, {
    fix: `restore ${migration.file} as it was, and put the change into a new migration; ${MADE_ANEW}`,
  });
}

const MADE_ANEW = 'a development database can be made anew: delete the folder .escapement';

function ofAnotherHistory({ migration_name: name }: MigrationRow, first: Migration): EscapementError {
  return new EscapementError(
    'migration_of_another_history',
    `the database was migrated by ${name}, and never by ${first.name}, with which this version begins`,
    { fix: `use an empty database; ${MADE_ANEW}` },
  );
}

function unfinished(row: MigrationRow): EscapementError {
  const why = row.logs ? `: ${row.logs}` : '';
  return new EscapementError(
    'migration_unfinished',
    `the migration ${row.migration_name} was begun and never ended${why}`,
    {
      fix: `look at what it left, then: npx prisma migrate resolve --applied|--rolled-back ${row.migration_name}`,
    },
  );
}
