import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { folder, runBin } from './cli.ts';

const LISTED = new URL('../dist/bundle/bundle.json', import.meta.url);
const MAIN = 'apps/cli/src/main.ts';

const readBundle = (): { entry: string; sources: Record<string, number> } => JSON.parse(readFileSync(LISTED, 'utf8'));

test('nothing is built where nothing has changed', async () => {
  await runBin(['--version']);
  const { mtimeMs } = statSync(LISTED);
  expect(await runBin(['--version'])).toMatchObject({ code: 0 });
  expect(statSync(LISTED).mtimeMs).toBe(mtimeMs);
});

/** As an image has it: what was built and the packages, without sources and without what builds. */
async function installed(): Promise<(...args: string[]) => { status: number | null; stdout: string; stderr: string }> {
  await runBin(['--version']);
  const { path } = await folder();
  const at = (file: string) => fileURLToPath(new URL(`../../../${file}`, import.meta.url));
  mkdirSync(join(path, 'apps/cli'), { recursive: true });
  for (const part of ['package.json', 'bin', 'dist/bundle'])
    cpSync(at(`apps/cli/${part}`), join(path, 'apps/cli', part), { recursive: true });
  for (const part of ['node_modules', 'prisma']) symlinkSync(at(part), join(path, part));
  const { url } = await testDatabase({ empty: true });
  const env = { PATH: process.env.PATH, DATABASE_URL: url };
  return (...args) =>
    spawnSync(process.execPath, [join(path, 'apps/cli/bin/escapement.js'), ...args], {
      env,
      cwd: path,
      encoding: 'utf8',
    });
}

test('the bundle alone finds migrations, time zones and the database', async () => {
  const escapement = await installed();
  expect(escapement('migrate')).toMatchObject({ status: 0 });
  expect(escapement('explain', '30 2 * * 1-5', '--tz', 'Europe/Berlin')).toMatchObject({ status: 0, stderr: '' });
  expect(escapement('tasks', 'add', 'rest', '--every', '1h', '--', 'true')).toMatchObject({ status: 0 });
  expect(escapement('tasks', 'list')).toMatchObject({ status: 0, stdout: expect.stringContaining('rest') });
  expect(escapement('tasks', 'stats', 'rest')).toMatchObject({ status: 0 });
  expect(escapement('calendars', 'list')).toMatchObject({ status: 0 });
});

// The last: programs of other tests may build meanwhile.
test('a source that has changed since is bundled before the command runs', async () => {
  expect(await runBin(['--version'])).toMatchObject({ code: 0 });
  const fresh = readBundle();
  writeFileSync(
    LISTED,
    JSON.stringify({ ...fresh, entry: 'no-such-file.js', sources: { ...fresh.sources, [MAIN]: 1 } }),
  );
  expect(await runBin(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
  expect(readBundle()).toEqual(fresh);
});
