import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contentOf, filesOf, folderWith, init, pathWith, read } from './init-folder.ts';

const WORKSPACES = {
  'package.json': { workspaces: ['packages/*', '!packages/old', 'web'] },
  'yarn.lock': '',
  'tsconfig.json': {},
  'packages/jobs/package.json': {},
  'packages/old/package.json': {},
  'packages/notes/README.md': '',
  'web/package.json': {},
};

/** Answers what is asked, one after the other, and keeps the questions. */
function answering(...answers: string[]) {
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return answers.shift() ?? '';
  };
  return { asked, ask };
}

test('a package of a monorepo takes its package manager and its language', async () => {
  const root = folderWith(WORKSPACES);
  const cwd = join(root, 'packages/jobs');
  const { stdout } = await init(cwd);
  expect(stdout).toContain(`next: yarn install in the root of the monorepo, ${root}, then yarn exec escapement dev`);
  expect(existsSync(join(cwd, 'tasks/hello.ts'))).toBe(true);
});

test('the root of a monorepo, without a terminal, is refused with the packages that there are', async () => {
  const cwd = folderWith(WORKSPACES);
  const before = contentOf(cwd);
  const { code, stderr } = await init(cwd);
  expect([code, stderr]).toEqual([2, expect.stringContaining('its packages: packages/jobs, web')]);
  expect(stderr).toContain('escapement init --package packages/jobs');
  expect(contentOf(cwd)).toEqual(before);
});

test('a package is named by an option, or chosen at the terminal', async () => {
  const cwd = folderWith(WORKSPACES);
  expect((await init(cwd, ['--package', 'web'])).stdout).toContain(
    'next: yarn install, then yarn exec escapement dev in web',
  );
  const { asked, ask } = answering('7', 'packages/jobs');
  expect((await init(cwd, [], { ask })).stdout).toContain('the package: packages/jobs');
  expect(asked).toHaveLength(2);
  expect(existsSync(join(cwd, 'packages/jobs/tasks/hello.ts'))).toBe(true);
  expect(await init(cwd, ['--package', 'nowhere'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no package.json in'),
  });
});

test('packages of pnpm are those of pnpm-workspace.yaml, in folders of any depth', async () => {
  const cwd = folderWith({
    'pnpm-workspace.yaml': "packages:\n  - 'services/**'\n  - '!**/test/**'\n",
    'services/a/package.json': {},
    'services/b/c/package.json': {},
    'services/b/test/d/package.json': {},
    'other/package.json': {},
  });
  expect((await init(cwd)).stderr).toContain('its packages: services/a, services/b/c\n');
  expect((await init(folderWith({ 'pnpm-workspace.yaml': 'packages: 7' }))).stderr).toContain('list of packages');
});

test('at a terminal an empty folder is asked for its language, and for its package manager where nothing says', async () => {
  const cwd = folderWith();
  const { asked, ask } = answering('2', 'pnpm');
  const { stdout } = await init(cwd, [], { ask });
  expect(asked.map((question) => question.split('\n')[0])).toEqual(['Which language?', 'Which package manager?']);
  expect(readdirSync(join(cwd, 'tasks'))).toContain('hello.js');
  expect(stdout).toContain('next: pnpm install');
});

test('with --yes, and where options say all, nothing is asked', async () => {
  const { asked, ask } = answering();
  await init(folderWith(), ['--yes'], { ask });
  await init(folderWith(), ['--language', 'javascript', '--package-manager', 'bun'], { ask });
  expect(asked).toEqual([]);
});

test('three answers that choose nothing end it, with nothing written', async () => {
  const cwd = folderWith();
  const { code, stderr } = await init(cwd, [], { ask: async () => 'cobol' });
  expect([code, stderr]).toEqual([2, expect.stringContaining('None of typescript, javascript was chosen')]);
  expect(filesOf(cwd)).toEqual([]);
});

test.each([
  ['pnpm', { 'package.json': { packageManager: 'pnpm@10.1.0' }, 'yarn.lock': '' }, {}],
  ['bun', { 'bun.lockb': '' }, { npm_config_user_agent: 'npm/11.0.0 node/v20' }],
  ['yarn', {}, { npm_config_user_agent: 'yarn/4.5.0 npm/? node/v20' }],
  ['npm', {}, {}],
])('the package manager is %s where the project has %j and the environment %j', async (manager, files, env) => {
  expect((await init(folderWith(files), ['--yes'], { env })).stdout).toContain(`next: ${manager} install`);
});

test.each([
  [true, { '.pnp.cjs': '', 'yarn.lock': '' }],
  [true, { 'package.json': { packageManager: 'yarn@4.9.2' } }],
  [false, { 'package.json': { packageManager: 'yarn@4.9.2' }, '.yarnrc.yml': 'nodeLinker: node-modules\n' }],
  [false, { 'package.json': { packageManager: 'yarn@1.22.22' } }],
])(
  'whether Yarn keeps packages in archives, where tasks cannot be started from, is said: %s with %j',
  async (is, files) => {
    const cwd = folderWith(files);
    expect((await init(cwd)).stderr.includes('nodeLinker: node-modules')).toBe(is);
    // What Yarn writes is no source of a project in JavaScript.
    expect(readdirSync(join(cwd, 'tasks'))).toContain('hello.ts');
  },
);

test('a package manager that is not there is named, with what says that it is used, and nothing is written', async () => {
  const cwd = folderWith({ 'pnpm-lock.yaml': '' });
  const { code, stderr } = await init(cwd, [], { env: { PATH: pathWith('npm') } });
  expect([code, stderr]).toEqual([2, expect.stringContaining('uses pnpm (pnpm-lock.yaml), which is not on the PATH')]);
  expect(stderr).toContain('corepack enable pnpm');
  expect(filesOf(cwd)).toEqual(['pnpm-lock.yaml']);
});

test('a package.json that cannot be read stays as it is, and what is wrong with it is said', async () => {
  const cwd = folderWith({ 'package.json': '{ "name": ' });
  expect(await init(cwd)).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') });
  expect(filesOf(cwd)).toEqual(['package.json']);
  const wrong = folderWith({ 'package.json': { scripts: ['test'] } });
  expect((await init(wrong)).stderr).toContain('scripts: ');
});

test('where one of the files cannot be written, none is', async () => {
  const cwd = folderWith({ 'package.json': { name: 'shop' } });
  // Nothing is written through a link: also not by root, who may write everywhere.
  symlinkSync('/nowhere/at/all', join(cwd, '.env'));
  const { code, stderr } = await init(cwd);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/cannot be written: EEXIST.*\.env.*\n.*nothing was changed/),
  ]);
  expect(filesOf(cwd)).toEqual(['.env', 'package.json']);
  expect(JSON.parse(read(cwd, 'package.json'))).toEqual({ name: 'shop' });
});

test.runIf(existsSync('/proc/self'))('a folder that nobody can write, not even root, is named', async () => {
  const { code, stderr } = await init('/proc/self', ['--yes']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('error: /proc/self cannot be written: ENOENT')]);
});

test('where one of its files cannot be read, it says which, and writes nothing', async () => {
  const cwd = folderWith();
  mkdirSync(join(cwd, '.gitignore'));
  expect(await init(cwd)).toMatchObject({ code: 2, stderr: expect.stringContaining('.gitignore cannot be read') });
  expect(filesOf(cwd)).toEqual(['.gitignore']);
});
