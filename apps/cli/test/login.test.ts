import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { apiServer } from './api-server.ts';
import { cliDatabase, folder, runBin, runCli } from './cli.ts';

const { db } = await cliDatabase();
const { url, token } = await apiServer(db);
const home = await folder();
const env = { HOME: home.path };
const file = join(home.path, '.config/escapement/login.json');
const run = (args: string[], more: { env?: Record<string, string>; input?: string } = {}) =>
  runCli(args, { cwd: home.path, ...more, env: { ...env, ...more.env } });

await saveTask(db, { name: 'nightly', handler: { type: 'shell', command: 'true' } }, { source: 'cli', by: by('test') });

test('without a server, a database or a login it is said what to set', async () => {
  expect(await run(['tasks', 'trigger', 'nightly'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('no database is named'),
  });
});

test('a login is kept for its user alone, and is used until the logout', async () => {
  const logged = await run(['login', url], { input: `${token}\n` });
  expect(logged).toMatchObject({ code: 0, stderr: '' });
  expect(logged.stdout).toBe(
    `logged in at ${url}, namespace default, as the token cli-test (admin); kept in ${file}\n`,
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ url, token });
  const made = await run(['tasks', 'trigger', 'nightly']);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect((await run(['runs', 'show', made.stdout.trim()])).stdout).toMatch(
    /^origin: +trigger, asked for by cli-test$/m,
  );
  expect(await run(['logout'])).toMatchObject({ code: 0, stdout: expect.stringContaining('logged out') });
  expect(await run(['logout'])).toMatchObject({ code: 0, stdout: 'nobody was logged in\n' });
  expect(await run(['runs', 'show', made.stdout.trim()])).toMatchObject({ code: 3 });
});

test('a login that the server refuses, or that nobody answers, is not kept', async () => {
  const forged = `esc_${'0'.repeat(16)}_${'A'.repeat(43)}`;
  expect(await run(['login', url], { input: forged })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('error: '),
  });
  expect(await run(['login', 'http://127.0.0.1:1'], { input: token })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('the API at http://127.0.0.1:1 does not answer'),
  });
  expect(await run(['login', 'jobs'], { input: token })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"jobs" is not the URL of an API'),
  });
  expect(await run(['login', url], { input: '' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the token for the API is empty'),
  });
  await expect(stat(file)).rejects.toThrow('ENOENT');
});

test('ESCAPEMENT_URL counts before a database, and needs a token', async () => {
  const named = { ESCAPEMENT_URL: url, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  expect(await run(['tasks', 'trigger', 'nightly'], { env: named })).toMatchObject({
    code: 2,
    stderr: `error: no token is given for the API at ${url}\n  set ESCAPEMENT_TOKEN, or run \`escapement login ${url}\`\n`,
  });
  const made = await run(['tasks', 'trigger', 'nightly'], { env: { ...named, ESCAPEMENT_TOKEN: token } });
  expect(made).toMatchObject({ code: 0 });
  const shown = await runBin(['runs', 'show', made.stdout.trim()], {
    env: { ...env, ESCAPEMENT_URL: `${url}/`, ESCAPEMENT_TOKEN: token },
  });
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  await run(['login', `${url}/`], { input: token });
  expect(await run(['tasks', 'trigger', 'nightly'], { env: named })).toMatchObject({ code: 0 });
  const elsewhere = { ESCAPEMENT_URL: 'http://127.0.0.1:1' };
  expect((await run(['tasks', 'trigger', 'nightly'], { env: elsewhere })).stderr).toContain('no token is given');
});

test('migrate is never asked of a server', async () => {
  expect(await run(['migrate'], { env: { ESCAPEMENT_URL: url } })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('no database is named'),
  });
});

test('what the API refuses is told in the words of the database', async () => {
  const named = { ESCAPEMENT_URL: url, ESCAPEMENT_TOKEN: token };
  expect(await run(['tasks', 'trigger', 'nigthly'], { env: named })).toMatchObject({
    code: 2,
    stderr: 'error: there is no task "nigthly"\n  did you mean nightly?\n',
  });
  const wrong = await run(['runs', 'show', 'zz', '-o', 'json'], { env: named });
  expect(JSON.parse(wrong.stderr)).toMatchObject({ error: { code: 'bad_run_id' } });
});

test('a login that cannot be read is told with its file', async () => {
  await home.write('.config/escapement/login.json', '{');
  expect((await run(['tasks', 'trigger', 'nightly'])).stderr).toContain(`${file} cannot be read as what`);
  await chmod(file, 0o600);
});
