import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { type Ran, runBin, runCli } from './cli.ts';
import { contentOf, filesOf, folderWith, read } from './init-folder.ts';

const packageAt = (name: string) => fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url));

const task = (name: string, more = '') => `import { defineTask, every, MINUTE } from 'escapement';
import { words } from '../src/words.js';
${more}
export default defineTask({ name: '${name}', schedule: every(5 * MINUTE), run: async () => words });
`;

/** A project with these files, in which Escapement and the bundler are installed. */
function projectWith(files: Record<string, unknown>, installed: readonly string[] = ['escapement', 'esbuild']): string {
  const cwd = folderWith({
    ...{ 'package.json': { name: 'shop' }, '.gitignore': 'node_modules\n.escapement\ndist\n' },
    ...{ 'src/words.ts': "export enum Kind { One }\nexport const words = ['hello', Kind.One];\n" },
    ...files,
  });
  for (const name of installed) {
    mkdirSync(dirname(join(cwd, 'node_modules', name)), { recursive: true });
    symlinkSync(packageAt(name), join(cwd, 'node_modules', name));
  }
  return cwd;
}

const build = (cwd: string, ...args: string[]): Promise<Ran> => runBin(['build', ...args], { cwd });
const manifestIn = (cwd: string) => JSON.parse(read(cwd, 'dist/escapement/escapement.build.json'));

test('tasks and what they import become modules without TypeScript; what the tasks are, is written down', async () => {
  const cwd = projectWith({ 'tasks/one.ts': task('one'), 'tasks/two.mjs': task('two'), 'tasks/one.test.ts': 'no;' });
  const { code, stdout, stderr } = await build(cwd);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /^built {2}dist\/escapement: 2 tasks, \d+ kB, release [0-9a-f]{12}\n {2}one {2}tasks\/one\.ts\n/,
  );
  const files = filesOf(join(cwd, 'dist/escapement'));
  expect(files).toEqual(
    expect.arrayContaining(['tasks/one.mjs', 'tasks/one.mjs.map', 'tasks/two.mjs', 'package.json']),
  );
  expect(files.filter((file) => /(?<!\.d)\.ts$/.test(file))).toEqual([]);
  // Shared, so that two tasks in one process have one of it.
  expect(files.filter((file) => /^chunks\/.*\.mjs$/.test(file))).toHaveLength(1);
  expect(manifestIn(cwd)).toEqual({
    ...{ format: 1, escapement: manifest.version, release: expect.any(String), app: 'shop/tasks' },
    externals: { escapement: manifest.version },
    tasks: [
      { name: 'one', module: 'tasks/one.mjs', source: 'tasks/one.ts' },
      { name: 'two', module: 'tasks/two.mjs', source: 'tasks/two.mjs' },
    ],
  });
  expect(filesOf(join(cwd, '.escapement'))).toEqual([]);
});

test('the same sources give the same build, byte for byte; the commit is its release where all is committed', async () => {
  const cwd = projectWith({ 'tasks/one.ts': task('one'), 'tasks/two.ts': task('two') });
  await build(cwd);
  const before = contentOf(join(cwd, 'dist'));
  await build(cwd);
  expect(contentOf(join(cwd, 'dist'))).toEqual(before);

  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  const git = (...args: string[]) =>
    execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' });
  git('init', '--quiet');
  git('add', '-A');
  git('commit', '--quiet', '-m', 'all');
  const commit = git('rev-parse', '--short=12', 'HEAD').trim();
  await build(cwd);
  expect(manifestIn(cwd).release).toBe(commit);
  writeFileSync(join(cwd, 'src/words.ts'), "export const words = ['good evening'];\n");
  await build(cwd);
  expect(manifestIn(cwd).release).toMatch(new RegExp(`^${commit}\\+[0-9a-f]{12}$`));
  await build(cwd, '--release', 'v7');
  expect(manifestIn(cwd).release).toBe('v7');
});

test('packages are bundled, but for native ones and those that the configuration names', async () => {
  const native = {
    name: 'native',
    version: '2.0.0',
    main: 'index.js',
    optionalDependencies: { '@n/linux-x64': '2.0.0' },
  };
  const imports = "import 'plain';\nimport 'native';\nimport '@files/beside/deep.js';";
  const cwd = projectWith({
    'tasks/one.ts': task('one', imports),
    'escapement.config.mjs': "export default { pools: ['mail'], build: { external: ['@files/*'] } };",
    'node_modules/plain/package.json': { name: 'plain', version: '1.0.0', main: 'index.js' },
    'node_modules/plain/index.js': "require('node:os').hostname(); exports.bundled = 1;",
    'node_modules/native/package.json': native,
    'node_modules/native/index.js': '',
    'node_modules/@files/beside/package.json': { name: '@files/beside', version: '3.0.0' },
    'node_modules/@files/beside/deep.js': "require('node:fs').statSync(__filename);",
  });
  expect(await build(cwd)).toMatchObject({ code: 0, stderr: '' });
  const module = read(cwd, 'dist/escapement/tasks/one.mjs');
  expect(module).toContain('bundled = 1');
  expect(module).toMatch(/^import "native";$/m);
  const externals = { '@files/beside': '3.0.0', escapement: manifest.version, native: '2.0.0' };
  expect(manifestIn(cwd)).toMatchObject({ pools: ['mail'], externals });
  expect(JSON.parse(read(cwd, 'dist/escapement/package.json')).dependencies).toEqual(externals);
});

test('each error names file, line and column, and the build of before stays', async () => {
  const cwd = projectWith({ 'tasks/one.ts': task('one') });
  await build(cwd);
  const before = contentOf(join(cwd, 'dist'));
  const fails = async (file: string, text: string) => {
    writeFileSync(join(cwd, file), text);
    const { code, stderr } = await build(cwd);
    rmSync(join(cwd, file));
    expect([code, contentOf(join(cwd, 'dist'))]).toEqual([2, before]);
    return stderr;
  };
  expect(await fails('tasks/two.ts', 'const x = ;\n')).toContain(
    'tasks/two.ts:1:11: Unexpected ";"\n      const x = ;',
  );
  expect(await fails('tasks/two.ts', "\nimport 'gone';\n")).toContain('tasks/two.ts:2:8: Could not resolve "gone"');
  const thrown = await fails('tasks/two.ts', `${task('two')}\nthrow new Error('no key');\n`);
  expect(thrown).toContain('tasks/two.ts cannot be imported: Error: no key (tasks/two.ts:6:7)');
  expect(await fails('tasks/two.ts', task('one'))).toContain(
    'tasks/two.ts: task "one" is defined in tasks/one.ts already',
  );
  expect(await fails('tasks/two.ts', 'export default 7;\n')).toContain('tasks/two.ts does not default-export a task');
  expect(await fails('tasks/two.ts', `${task('two')}console.log(__dirname);\n`)).toContain('name it in build.external');
});

test('Ctrl-C leaves the build of before, and no half of the new one', async () => {
  const cwd = projectWith({ 'tasks/one.ts': task('one') });
  await build(cwd);
  const before = contentOf(join(cwd, 'dist'));
  writeFileSync(join(cwd, 'tasks/two.ts'), task('two'));
  expect(await runCli(['build'], { cwd, signal: AbortSignal.abort() })).toMatchObject({
    code: 130,
    stderr: expect.stringContaining('the one before is unchanged'),
  });
  expect([contentOf(join(cwd, 'dist')), filesOf(join(cwd, '.escapement'))]).toEqual([before, []]);
});

test('what is missing is named: the bundler, tasks, a folder for the build', async () => {
  const bare = projectWith({ 'tasks/one.ts': task('one') }, ['escapement']);
  expect((await build(bare)).stderr).toMatch(/esbuild.* is not installed in .*\n {2}npm install --save-dev esbuild@\d/);
  expect((await build(projectWith({}))).stderr).toContain('no tasks at');
  const full = projectWith({ 'tasks/one.ts': task('one'), 'out/mine.txt': '' });
  expect((await build(full, '--out', 'out')).stderr).toContain('has something in it that is no build');
  expect(existsSync(join(full, 'out/mine.txt'))).toBe(true);
  expect((await build(full, '--release', 'a\nb')).stderr).toContain('1 to 100 characters');
});
