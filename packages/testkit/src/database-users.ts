import { migrate, ROLE_PREFIX } from '@escapement/store';
import pg from 'pg';

/** For whom a test signs in to Postgres: as the programs of a fleet do, each with the rights of its role alone. */
export const DATABASE_USERS = ['owner', 'scheduler', 'worker', 'api', 'reader'] as const;

export type DatabaseUser = (typeof DATABASE_USERS)[number];

const PASSWORD = 'of-a-test';
const nameOf = (user: DatabaseUser) => `test_${user}`;

/** Makes a user for each role of the server, once; the roles must be there. `url`: of a superuser. */
export async function makeDatabaseUsers(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const user of DATABASE_USERS)
      await client.query(
        `CREATE ROLE ${nameOf(user)} LOGIN NOSUPERUSER PASSWORD '${PASSWORD}' IN ROLE ${ROLE_PREFIX}${user}`,
      );
  } finally {
    await client.end();
  }
}

/** Migrates a server of the test's own, with roles and users. */
export async function migrateWithRoles(url: string): Promise<void> {
  await migrate(url, { roles: {} });
  await makeDatabaseUsers(url);
}

/** The same database, as that user. */
export function asUser(url: string, user: DatabaseUser): string {
  return Object.assign(new URL(url), { username: nameOf(user), password: PASSWORD }).href;
}

const PROGRAM = /\/apps\/(scheduler|worker)\/(?:src|dist)\/main\.[jt]s$/;

/**
 * The database for a program that a test starts: schedulers and workers sign in as users of theirs, so that every test of a fleet shows
 * whether the rights of their roles suffice. Who made users for itself is let be.
 *
 * @param superuser of the servers of tests
 */
export function databaseFor(program: string, url: string, superuser: string): string {
  const role = PROGRAM.exec(program)?.[1];
  if ((role !== 'scheduler' && role !== 'worker') || !URL.canParse(url)) return url;
  const { username } = new URL(url);
  return username === superuser || username.startsWith('test_') ? asUser(url, role) : url;
}
