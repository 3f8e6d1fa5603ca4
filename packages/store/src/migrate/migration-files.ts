import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EscapementError } from '@escapement/core';

/** One folder below `prisma/migrations`. */
export interface Migration {
  /** The folder's name, `20261120000000_init`: their order is the order of application. */
  name: string;
  file: string;
  sql: string;
  /** The last of the migrations that this one was made of: a database that has that one needs neither. Undefined: it was made of none. */
  replaces: string | undefined;
}

const REPLACES = /^-- Replaces (\w+)/;

/** Seen from this file, in sources and in a build alike: in the package as it is installed, or at the root of a clone. */
const PLACES = ['../../dist/prisma', '../../../../prisma'].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
);

/** The folder of the functions that come with this package. */
export function findFunctionsDir(): string {
  return join(findMigrationsDir(), '../functions');
}

function findMigrationsDir(): string {
  const places = PLACES.map((place) => join(place, 'migrations'));
  const dir = places.find((place) => existsSync(place));
  if (dir) return dir;
  throw new EscapementError('no_migrations', `there are no migrations in ${places.join(' or ')}`, {
    fix: 'this copy of Escapement is incomplete: install it again, or name the folder of its migrations',
  });
}

/**
 * Reads the migrations in the order of their names.
 *
 * @param dir Default: where this package finds its own.
 */
export async function readMigrations(dir: string = findMigrationsDir()): Promise<Migration[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((cause: Error) => {
    throw new EscapementError('no_migrations', `cannot read the folder of migrations ${dir}: ${cause.message}`, {
      cause,
    });
  });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(names.sort().map((name) => readMigration(dir, name)));
}

async function readMigration(dir: string, name: string): Promise<Migration> {
  const file = join(dir, name, 'migration.sql');
  const sql = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new EscapementError('migration_missing', `the migration ${name} has no readable migration.sql`, {
      cause,
      fix: `restore ${file}, or delete its folder if it was never applied`,
    });
  });
  return { name, file, sql, replaces: REPLACES.exec(sql)?.[1] };
}

/** The checksum as Prisma writes it: SHA-256 of the file, in hex. */
export function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}

/** Whether the file is the one applied. Line endings may differ: git changes them on checkout. */
export function matchesChecksum(sql: string, checksum: string): boolean {
  const unix = sql.replaceAll('\r\n', '\n');
  return [sql, unix, unix.replaceAll('\n', '\r\n')].some((text) => checksumOf(text) === checksum);
}
