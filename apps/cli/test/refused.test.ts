import { randomUUID } from 'node:crypto';
import { administer, afterFile, lockedRedis, testDatabase, testServers } from '@escapement/testkit';
import { describe, expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
/** Past the API. */
const direct = { DATABASE_URL: env.DATABASE_URL, REDIS_URL: env.REDIS_URL };
const { postgresUrl } = testServers();
const role = `narrow_${randomUUID().slice(0, 8)}`;

await administer(postgresUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'right'`);
afterFile(() => administer(postgresUrl, `DROP ROLE ${role}`));

/** The URL of a database for the role. */
function as(user: string, database?: string): string {
  const url = new URL(env.DATABASE_URL ?? '');
  const [name = '', password = ''] = user.split(':');
  url.username = name;
  url.password = password;
  if (database !== undefined) url.pathname = `/${database}`;
  return url.href;
}

async function told(args: string[], url: string) {
  const { code, stderr } = await runCli(args, { env: { ...env, DATABASE_URL: url } });
  return `${code} ${stderr}`;
}

describe('what Postgres refuses is told with what helps, and ends with 3', () => {
  test.each<[string, string[], () => string, RegExp]>([
    [
      'a password',
      ['tasks', 'list'],
      () => as(`${role}:wrong`),
      /refused the user "narrow.*\n {2}correct user and pass/,
    ],
    ['no password', ['tasks', 'list'], () => as(role), /asks "narrow.*for a password.*\n {2}write it into the URL/],
    ['a password', ['migrate'], () => as(`${role}:wrong`), /refused the user "narrow.*\n {2}correct user and password/],
    ['a database', ['tasks', 'list'], () => as(`${role}:right`, 'none'), /"none" does not exist.*\n {2}create it/],
    ['a table', ['tasks', 'list'], () => as(`${role}:right`), /lacks a right.*_prisma_migr.*\n {2}use the user that/],
    [
      'CREATEDB',
      ['migrate', '--create-database'],
      () => as(`${role}:right`, 'none'),
      /may not create the database "none"/,
    ],
  ])('%s, for %j', async (_, args, url, sentence) => {
    const text = await told(args, url());
    expect(text).toMatch(/^3 error: /);
    expect(text).toMatch(sentence);
    expect(text).not.toMatch(/\n +at |wrong|:right/);
  });

  test('CREATE on the schema', async () => {
    const { name } = await testDatabase({ empty: true });
    expect(await told(['migrate'], as(`${role}:right`, name))).toMatch(
      /^3 error: the user "narrow.*may not make tables in the database "test_.*schema public\n {2}migrate as the owner/,
    );
  });
});

describe('what Postgres cannot do at this moment is told with what helps, and ends with 3', () => {
  test('a table that somebody has locked', async () => {
    const locker = await db.pool.connect();
    await locker.query('BEGIN; LOCK TABLE task IN ACCESS EXCLUSIVE MODE');
    const { code, stderr } = await runCli(['tasks', 'list'], { env: { ...direct, ESCAPEMENT_LOCK_TIMEOUT_MS: '100' } });
    await locker.query('ROLLBACK');
    locker.release();
    expect(`${code} ${stderr}`).toMatch(
      /^3 error: Postgres at \S+ could not do this now: canceling statement due to lock timeout\n {2}somebody holds/,
    );
  });

  test('a server that can only be read', async () => {
    const { url, name } = await testDatabase();
    await administer(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const read = await runCli(['tasks', 'list'], { env: { DATABASE_URL: url } });
    expect([read.code, read.stderr]).toEqual([0, expect.stringContaining('there are no tasks')]);
    const added = ['tasks', 'add', 'late', '@hourly', 'true'];
    const { code, stderr } = await runCli(added, { env: { DATABASE_URL: url } });
    expect(`${code} ${stderr}`).toMatch(
      /^3 error: Postgres at \S+ can be read, but not written to: cannot execute .*\n {2}name the primary in DATABASE_URL/,
    );
  });
});

test('what Redis refuses is told with what helps', async () => {
  const redis = await lockedRedis();
  const said = async (user: string, variable = 'REDIS_URL') => {
    const url = redis.url.replace('//', `//${user}`);
    const { code, stdout, stderr } = await runCli(['doctor'], { env: { ...env, [variable]: url } });
    return `${code} ${stdout
      .split('\n')
      .filter((line) => /BAD +Redis/.test(line))
      .join()}${stderr}`.replace(/\s+/g, ' ');
  };
  expect(await said('')).toMatch(/^1 BAD Redis Redis at .* asks for a password, and the URL has none; write it/);
  expect(await said(':wrong@')).toMatch(/^1 BAD Redis Redis at .* does not know this user and password; correct both/);
  expect(await said('narrow:right@')).toMatch(/^1 BAD Redis Redis at .* lacks a right for its user: NOPERM .*; give/);
  expect(await said(':wrong@', 'REDIS_LEASE_URL')).toMatch(
    /^1 BAD Redis for leases Redis at .* does not know this user/,
  );
});
