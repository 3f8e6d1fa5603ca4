import { afterFile, asUser, ownPostgres } from '@escapement/testkit';
import pg from 'pg';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { env, url } = await cliDatabase();

interface Finding {
  subject: string;
  level: string;
  detail: string;
  fix?: string;
}

async function roles(database = env.DATABASE_URL): Promise<Finding[]> {
  const { stdout } = await runCli(['doctor', '-o', 'json'], { env: { ...env, DATABASE_URL: database } });
  const { findings }: { findings: Finding[] } = JSON.parse(stdout);
  return findings.filter(({ subject }) => subject === 'Roles');
}

/** As a scheduler or worker is connected. */
async function connected(program: 'scheduler' | 'worker', user: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: user, application_name: `escapement ${program}` });
  await client.connect();
  afterFile(() => client.end());
  return client;
}

test('programs that have the rights of their role alone are well', async () => {
  await connected('worker', asUser(url, 'worker'));
  expect(await roles()).toEqual([{ subject: 'Roles', level: 'ok', detail: expect.stringContaining('escapement_') }]);
});

test('doctor warns of a program that is a superuser, or owns the tables, where there are roles', async () => {
  const mighty = await connected('scheduler', url);
  const owner = await connected('worker', asUser(url, 'owner'));
  expect(await roles()).toEqual([
    expect.objectContaining({
      level: 'warning',
      detail: expect.stringMatching(/^a scheduler is connected as "escapement", a superuser/),
    }),
    expect.objectContaining({
      level: 'warning',
      detail: expect.stringMatching(/^a worker is connected as "test_owner", who owns the tables/),
      fix: expect.stringContaining('IN ROLE escapement_worker'),
    }),
  ]);
  expect(await roles(url)).toContainEqual(
    expect.objectContaining({
      level: 'warning',
      detail: expect.stringContaining('the command line is connected as "escapement"'),
    }),
  );
  await Promise.all([mighty.end(), owner.end()]);
});

test('doctor names what a program lacks, and how it gets it', async () => {
  const wrong = await connected('worker', asUser(url, 'reader'));
  expect(await roles()).toEqual([
    {
      subject: 'Roles',
      level: 'problem',
      detail: expect.stringMatching(/^the user "test_reader" in Postgres lacks what a worker needs: .* and \d+ more$/),
      fix: expect.stringMatching(/escapement migrate --roles.*GRANT escapement_worker TO "test_reader"/),
    },
  ]);
  await wrong.end();
});

test('migrate --roles sets a database up, may be repeated, and says for which prefix', async () => {
  const postgres = await ownPostgres();
  const of = (...args: string[]) => runCli(['migrate', ...args], { env: { DATABASE_URL: postgres.url } });
  expect((await of('--role-prefix', 'shop_')).stderr).toContain('without --roles');
  expect(await of('--roles', '--role-prefix', 'shop_')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('roles: shop_...'),
  });
  expect(await of('--roles')).toMatchObject({ code: 0, stdout: expect.stringContaining('roles: shop_...') });
  expect(await of()).toMatchObject({ code: 0, stdout: expect.stringContaining('roles: shop_...') });
});
