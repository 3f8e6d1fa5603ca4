import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { cliDatabase, folder, overHttp, runBin, runCli } from './cli.ts';

const { env } = await cliDatabase();
const NOWHERE = 'postgres://me:s3cret@127.0.0.1:1/jobs';

test.each([
  [['taks', 'list'], /unknown command 'taks'[\s\S]*Did you mean tasks\?/],
  [['tasks', 'lst'], /unknown command 'lst'[\s\S]*Did you mean list\?/],
  [['import', 'crontab', 'x', '--prun'], /unknown option '--prun'[\s\S]*Did you mean --prune\?/],
  [['import', 'crontab'], /missing required argument 'file'/],
  [['tasks', 'list', '-o', 'xml'], /Allowed choices are table, json/],
  [['import', 'crontab', 'no-such-file'], /no-such-file cannot be read: there is no such file/],
  [['import', 'crontab', '-', '--tz', 'Europe/Berln'], /unknown time zone "Europe\/Berln"[\s\S]*Europe\/Berlin/],
  [['import', 'crontab', '-', '--pool', 'A B'], /--pool is "A B"/],
  [['next', '61 * * * *'], /minute/],
  [['next', '* * * * *', '--count', '0'], /--count is "0"[\s\S]*from 1 to 1000/],
  [['next', '* * * * *', '--after', 'soon'], /--after is "soon"/],
  [['runs', 'list', '--state', 'faild'], /did you mean failed\?/],
  [['runs', 'show', 'x'], /"x" is not the id of a run/],
  [['runs', 'show', '01890000-0000-7000-8000-000000000000'], /there is no run/],
  [['tasks', 'show', 'nobody'], /there is no task "nobody"/],
  [['tasks', 'trigger', 'nobody'], /there is no task "nobody"/],
  [['tasks', 'trigger', 'nobody', '--payload', '{a'], /--payload is not JSON/],
  [['tasks', 'pause', 'nobody', '--until', '2h'], /there is no task "nobody"/],
  [['pools', 'pause', 'default', '--until', '2001-01-01'], /which has passed/],
])('escapement %j ends with 2 and says what is wrong', async (args, message) => {
  const { code, stderr, stdout } = await runCli(args, { env });
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test('a command without its subcommand shows its help and ends with 2', async () => {
  const { code, stderr } = await runCli(['tasks']);
  expect(code).toBe(2);
  expect(stderr).toContain('Usage: escapement tasks');
});

test('help and version end with 0', async () => {
  expect(await runBin(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
  expect(await runCli(['import', 'crontab', '--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('--prune'),
  });
});

test('a server that does not answer ends with 3, without its password', async () => {
  const { code, stderr } = await runBin(['tasks', 'list'], { env: { DATABASE_URL: NOWHERE } });
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /^error: Postgres at postgres:\/\/me:\*\*\*@127\.0\.0\.1:1\/jobs, named by DATABASE_URL, does not answer/,
  );
  expect(stderr).not.toMatch(/\n\s+at /);
});

test('no server at all ends with 3 and says how to name one', async () => {
  const { code, stderr } = await runCli(['tasks', 'list']);
  expect(code).toBe(3);
  expect(stderr).toMatch(/no database is named[\s\S]*set DATABASE_URL/);
});

test('a database without its tables ends with 3 and names the command', async () => {
  const { url } = await testDatabase({ empty: true });
  const { code, stderr } = await runCli(['tasks', 'list'], { env: { DATABASE_URL: url } });
  expect(code).toBe(3);
  expect(stderr).toMatch(/lacks \d+ of this version's migrations[\s\S]*escapement migrate/);
  expect(await runCli(['migrate'], { env: { DATABASE_URL: url } })).toMatchObject({ code: 0 });
  expect(await runCli(['tasks', 'list'], { env: { DATABASE_URL: url } })).toMatchObject({ code: 0 });
});

test('the servers of npm run dev are found from a folder below', async () => {
  const { path } = await folder();
  await mkdir(join(path, '.escapement'));
  await mkdir(join(path, 'deep', 'er'), { recursive: true });
  await writeFile(
    join(path, '.escapement', 'dev.json'),
    JSON.stringify({ databaseUrl: env.DATABASE_URL, redisUrl: env.REDIS_URL, pid: 1 }),
  );
  expect(await runCli(['tasks', 'list'], { cwd: join(path, 'deep', 'er') })).toMatchObject({ code: 0 });
  const elsewhere = await runCli(['tasks', 'list'], { cwd: join(path, 'deep', 'er'), env: { DATABASE_URL: NOWHERE } });
  expect(elsewhere.code).toBe(3);
});

test('with -o json an error is JSON too', async () => {
  const { stderr } = await runCli(['tasks', 'show', 'nobody', '-o', 'json'], { env });
  expect(JSON.parse(stderr)).toEqual({
    error: { code: 'unknown_task', message: 'there is no task "nobody"', fix: expect.any(String) },
  });
});

test('a mistyped variable of the environment is told', async () => {
  const { code, stderr } = await runCli(['tasks', 'list'], { env: { ...env, ESCAPEMENT_NAMESPAC: 'x' } });
  expect(code).toBe(2);
  expect(stderr).toContain('did you mean ESCAPEMENT_NAMESPACE?');
});

test('a pipe that is closed early is no error', () => {
  const bin = fileURLToPath(new URL('../bin/escapement.js', import.meta.url));
  const command = `"${process.execPath}" "${bin}" next '* * * * *' --tz UTC --count 1000 | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
  expect(stdout).toBe('* * * * *: every minute, UTC\n0\n');
  expect(stderr).toBe('');
});

test('config lists every setting of a role, where each comes from, and no password', async () => {
  const given = { DATABASE_URL: NOWHERE, REDIS_URL: 'redis://h', ESCAPEMENT_LEASE_MS: '5000' };
  const { code, stdout } = await runCli(['config', '--role', 'worker', '-o', 'json'], { env: given });
  expect(code).toBe(0);
  const rows: unknown = JSON.parse(stdout);
  expect(rows).toContainEqual({ variable: 'ESCAPEMENT_LEASE_MS', value: '5000', from: 'environment' });
  expect(rows).toContainEqual({ variable: 'ESCAPEMENT_CONCURRENCY', value: '50', from: 'default' });
  expect(stdout).not.toContain('s3cret');
});

// Over HTTP the token has the namespace.
test.skipIf(overHttp)('a namespace that nobody has worked in is told of, with the one that was meant', async () => {
  const task = { env: { ...env, ESCAPEMENT_NAMESPACE: 'production' } };
  await runCli(['tasks', 'add', 'one', '--every', '1h', '--', 'true'], task);
  expect((await runCli(['tasks', 'list'], task)).stderr).toBe('');
  const { code, stderr } = await runCli(['runs', 'list'], { env: { ...env, ESCAPEMENT_NAMESPACE: 'prodution' } });
  expect(code).toBe(0);
  expect(stderr).toContain('"prodution" (ESCAPEMENT_NAMESPACE) has never been used; did you mean "production"?');
  expect((await runCli(['runs', 'list'], { env })).stderr).not.toContain('never been used');
});
