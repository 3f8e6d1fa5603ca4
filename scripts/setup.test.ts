import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const MANIFEST = { name: 'clone', version: '1.0.0', dependencies: { part: 'file:part' } };
const PART = { version: '1.0.0' };
const LOCK = {
  ...MANIFEST,
  lockfileVersion: 3,
  packages: { '': MANIFEST, part: PART, 'node_modules/part': { resolved: 'part', link: true } },
};

/** A clone with one package, which lies in it, with some workspaces, and an npm that warns of a setting. */
function clone(
  lock: unknown,
  workspaces: readonly string[] = [],
): (command: string, ...args: string[]) => { status: number | null; stdout: string; stderr: string } {
  const cwd = mkdtempSync(join(tmpdir(), 'escapement-setup-'));
  folders.push(cwd);
  for (const folder of ['scripts', 'part']) mkdirSync(join(cwd, folder));
  for (const script of ['scripts/setup.mjs', 'scripts/process.mjs'])
    cpSync(fileURLToPath(new URL(`../${script}`, import.meta.url)), join(cwd, script));
  const write = (file: string, value: unknown) => writeFileSync(join(cwd, file), JSON.stringify(value));
  write('package.json', { ...MANIFEST, workspaces, allowScripts: {} });
  for (const workspace of workspaces) {
    mkdirSync(join(cwd, workspace), { recursive: true });
    write(`${workspace}/package.json`, { name: nameOf(workspace), ...PART });
  }
  write('part/package.json', { name: 'part', ...PART });
  write('package-lock.json', lock);
  writeFileSync(join(cwd, 'user.npmrc'), 'no-such-setting=1\n');
  // An npm that runs the tests, `npm test --silent` for one, would tell the npm of the clone how much to say.
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const env = { ...Object.fromEntries(inherited), NPM_CONFIG_USERCONFIG: join(cwd, 'user.npmrc') };
  return (command, ...args) => spawnSync(command, args, { cwd, env, encoding: 'utf8' });
}

test('what npm warns of does not hide what the set-up says', () => {
  const run = clone(LOCK);
  const { status, stdout, stderr } = run(process.execPath, 'scripts/setup.mjs');
  expect(stderr).toBe('');
  expect(stdout).toMatch(
    /^set-up: the packages are not installed, installing them with npm ci \(10 to 60 s\)\nset-up: packages installed in \d+ s\n$/,
  );
  expect(status).toBe(0);
  expect(run('npm', 'ls').stderr).toMatch(/no-such-setting/);
});

test('npm run dev begins with a part of the packages in a new clone, and what needs all of them adds the others', () => {
  const workspaces = ['packages/dev', 'apps/scheduler', 'apps/worker', 'apps/api', 'apps/cli', 'apps/dashboard'];
  const root = { ...MANIFEST, workspaces };
  const entries = workspaces.flatMap((resolved) => [
    [resolved, { name: nameOf(resolved), ...PART }],
    [`node_modules/${nameOf(resolved)}`, { resolved, link: true }],
  ]);
  const run = clone(
    { ...LOCK, ...root, packages: { ...LOCK.packages, ...Object.fromEntries(entries), '': root } },
    workspaces,
  );
  const setUp = (...args: string[]) => run(process.execPath, 'scripts/setup.mjs', ...args).stdout.split(',')[0];
  const installed = () => run('ls', 'node_modules').stdout.split('\n').filter(Boolean);
  expect(setUp('--dev')).toBe('set-up: the packages are not installed');
  expect(installed()).toEqual(workspaces.map(nameOf).sort());
  expect(setUp('--dev')).toBe('');
  expect(setUp()).toBe('set-up: only the packages of npm run dev are installed');
  expect(installed()).toEqual([...workspaces.map(nameOf), 'part'].sort());
  expect([setUp('--dev'), setUp()]).toEqual(['', '']);
});

test('an error of npm is shown whole', () => {
  const { status, stderr } = clone({})(process.execPath, 'scripts/setup.mjs');
  expect(stderr).toMatch(/^set-up: npm ci ended with 1:\n[\s\S]*npm error[\s\S]*package-lock\.json/);
  expect(status).toBe(1);
});

function nameOf(workspace: string): string {
  return workspace.replace('/', '-');
}
