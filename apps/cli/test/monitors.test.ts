import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { apiServer } from './api-server.ts';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const api = await apiServer(db, 'pings');
const run = (...args: string[]) => runCli(args, { env: { ...env, ESCAPEMENT_API_URL: api.url } });
const json = async (...args: string[]) => JSON.parse((await run(...args, '-o', 'json')).stdout);

/** Where it is missing, what pings is left out. */
const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** As a line of a crontab does it. */
async function curl(...args: string[]): Promise<string> {
  return (await promisify(execFile)('curl', ['-fsS', '-m', '10', ...args])).stdout;
}

/** Makes a monitor; returns the URL that is pinged. */
async function made(name: string, ...more: string[]): Promise<string> {
  const { pingId } = await json('monitors', 'create', name, '--every', '1d', ...more);
  return `${api.url}/ping/${pingId}`;
}

test.runIf(hasCurl)('a job is watched by the URL that is told once, and curl pings it', async () => {
  const { stdout, stderr, code } = await run(
    'monitors',
    'create',
    'backup',
    '--cron',
    '0 3 * * *',
    '--tz',
    'Europe/Berlin',
    '--grace',
    '30m',
    '-l',
    'team=db',
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/^(http:\S+)?\/ping\/[0-9a-f-]{36}\n$/);
  expect(stderr).toContain('it is shown this once');
  const url = new URL(stdout.trim(), api.url).href;
  expect((await run('monitors', 'list')).stdout).toMatch(/^backup +new +- /m);
  expect(await curl(`${url}/start`)).toBe('OK\n');
  expect(await curl('--data-raw', '12 tables saved', url)).toBe('OK\n');
  const shown = (await run('monitors', 'show', 'backup')).stdout;
  expect(shown).toMatch(/^state: +up$/m);
  expect(shown).toMatch(/^labels: +team=db$/m);
  expect(shown).toMatch(/Z +success +[\d.]+ m?s +- +127\.0\.0\.1 +12 tables saved$/m);
  expect(shown).toMatch(/Z +start /m);
  expect(await curl('--data-raw', 'no disk left', `${url}/7`)).toBe('OK\n');
  expect(await json('monitors', 'show', 'backup')).toMatchObject({
    state: 'down',
    exitStatus: 7,
    troubles: [{ kind: 'failed' }],
  });
});

test.runIf(hasCurl)('it is paused, expected again, changed, and its URL replaced', async () => {
  const url = await made('sync', '-l', 'team=shop');
  expect((await run('monitors', 'pause', 'sync', '--until', '2h', '--reason', 'moving')).stdout).toContain(
    'is paused until',
  );
  expect((await run('monitors', 'show', 'sync')).stdout).toMatch(/^paused: +until \S+Z by \S.*: moving$/m);
  expect((await run('monitors', 'resume', 'sync')).stdout).toBe('the monitor "sync" is expected again\n');
  expect((await run('monitors', 'resume', 'sync')).stdout).toBe('the monitor "sync" was not paused\n');
  expect((await run('monitors', 'edit', 'sync', '--grace', '5m')).stdout).toContain('5 min later at most');
  expect(await json('monitors', 'show', 'sync')).toMatchObject({ graceMs: 300_000, labels: { team: 'shop' } });
  const { pingId } = await json('monitors', 'rotate', 'sync', '--reason', 'it was in a log');
  await expect(curl(url)).rejects.toThrow('404');
  expect(await curl(`${api.url}/ping/${pingId}`)).toBe('OK\n');
  expect((await run('monitors', 'delete', 'sync')).code).toBe(0);
  await expect(curl(`${api.url}/ping/${pingId}`)).rejects.toThrow('404');
});

beforeAll(async () => void (await made('kept')));

test.each([
  [['create', 'x y', '--every', '1h'], 'name: '],
  [['create', 'x'], 'it is not said when the job runs'],
  [['create', 'x', '--every', '1h', '--cron', '* * * * *'], 'both --cron and --every are given'],
  [['create', 'x', '--every', '1h', '--tz', 'UTC'], '--tz is given without --cron'],
  [['create', 'x', '--cron', '61 * * * *'], '61'],
  [['create', 'kept', '--every', '1h'], 'there is a monitor "kept" already'],
  [['show', 'kepd'], 'did you mean kept?'],
  [['edit', 'kept'], 'the edit changes nothing'],
])('monitors %j is refused', async (args, words) => {
  const { code, stderr } = await run('monitors', ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
});
