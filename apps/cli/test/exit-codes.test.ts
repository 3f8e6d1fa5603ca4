import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { aTask, testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { EXIT } from '../src/output/exit-code.ts';
import { apiServer } from './api-server.ts';
import { cliDatabase, folder, type Ran, runBin, runCli } from './cli.ts';

const BIN = fileURLToPath(new URL('../bin/escapement.js', import.meta.url));
const { db, env } = await cliDatabase();
const files = await folder();
const NOWHERE = 'postgres://me:s3cret@127.0.0.1:1/jobs';
const empty = (await testDatabase({ empty: true })).url;

/** What docs/reference/cli.md says, by code. */
const documented = new Map(
  readFileSync(fileURLToPath(new URL('../../../docs/reference/cli.md', import.meta.url)), 'utf8')
    .split('## Exit codes')[1]
    ?.split('\n## ')[0]
    ?.split('\n')
    .flatMap((row) => [...row.matchAll(/^\| (\d+) \| (.*) \|$/g)].map(([, code, words]) => [Number(code), words])),
);

test('the codes that are documented are those that there are', () => {
  expect([...documented.keys()].sort((a, b) => a - b)).toEqual(Object.values(EXIT).sort((a, b) => a - b));
});

interface Drive {
  code: number;
  what: string;
  run: () => Promise<Ran>;
}

const cli = (args: string[], options: Parameters<typeof runCli>[1] = { env }) => runCli(args, options);
const bin = (args: string[], options: Parameters<typeof runBin>[1] = { env }) => runBin(args, options);

/** The command in a shell, for what a shell does to it. */
async function shell(before: string, args: string, after = '') {
  const command = `${before} "${process.execPath}" "${BIN}" ${args} ${after}`;
  const { status, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
  return { code: status, stdout: '', stderr };
}

async function devFile(write: (file: string) => Promise<unknown>) {
  const { path } = await folder();
  await mkdir(join(path, '.escapement'));
  await write(join(path, '.escapement', 'dev.json'));
  return await cli(['tasks', 'list'], { cwd: path });
}

/** Waits for the run that a command has made, and does something to it. */
async function meanwhile(task: string, command: Promise<Ran>, action: (id: string) => unknown) {
  const ids = async () => JSON.parse((await cli(['runs', 'list', '--task', task, '-o', 'json'])).stdout);
  await expect.poll(ids).toMatchObject([{ id: expect.any(String) }]);
  await action((await ids())[0].id);
  return await command;
}

await aTask(db, 'cancelled');
await aTask(db, 'interrupted');
const interrupt = new AbortController();
const wrongPassword = env.DATABASE_URL.replace(/:[^:@]*@/, ':wrong@');
const noDatabase = env.DATABASE_URL.replace(/\/[^/]*$/, '/not_there');

const DRIVES: readonly Drive[] = [
  { code: EXIT.ok, what: 'a command that is done', run: () => cli(['tasks', 'list']) },
  { code: EXIT.failed, what: 'doctor that finds a problem', run: () => cli(['doctor']) },
  { code: EXIT.usage, what: 'an unknown command', run: () => cli(['frobnicate']) },
  { code: EXIT.usage, what: 'an unknown option', run: () => cli(['tasks', 'list', '--frobnicate']) },
  { code: EXIT.usage, what: 'a bad value', run: () => cli(['runs', 'list', '--limit', 'many']) },
  { code: EXIT.usage, what: 'an unknown task', run: () => cli(['tasks', 'show', 'nobody']) },
  {
    code: EXIT.usage,
    what: 'an unknown run',
    run: () => cli(['runs', 'show', '01890000-0000-7000-8000-000000000000']),
  },
  { code: EXIT.usage, what: 'a file that is not there', run: () => cli(['apply', '-f', 'no-such-file']) },
  {
    code: EXIT.usage,
    what: 'import --strict with a bad line',
    run: () => cli(['import', 'crontab', '-', '--strict'], { env, input: 'nonsense\n' }),
  },
  { code: EXIT.usage, what: 'a key that is free', run: () => cli(['keys', 'release', 'nobody', '--reason', 'x']) },
  { code: EXIT.usage, what: 'standard output on a full disk', run: () => shell('', 'next "0 3 * * *"', '>/dev/full') },
  { code: EXIT.usage, what: 'too few open files to load it', run: () => shell('ulimit -n 24;', 'tasks list') },
  {
    code: EXIT.usage,
    what: 'settings that are a folder',
    run: () => bin(['tasks', 'list'], { env: { ...env, ESCAPEMENT_SETTINGS_FILE: files.path } }),
  },
  { code: EXIT.usage, what: 'a dev.json that is cut off', run: () => devFile((file) => writeFile(file, '{"datab')) },
  { code: EXIT.usage, what: 'a dev.json of the wrong type', run: () => devFile((file) => writeFile(file, '[1]')) },
  { code: EXIT.usage, what: 'a dev.json that is a folder', run: () => devFile((file) => mkdir(file)) },
  {
    code: EXIT.usage,
    what: 'a dev.json that leads to itself',
    run: () => devFile((file) => symlink('dev.json', file)),
  },
  {
    code: EXIT.usage,
    what: 'a folder of settings that cannot be made',
    run: async () => {
      const { url, token } = await apiServer(db);
      return await cli(['login', url], { input: token, env: { XDG_CONFIG_HOME: await files.write('a-file', '') } });
    },
  },
  { code: EXIT.unreachable, what: 'no database named', run: () => cli(['tasks', 'list'], {}) },
  {
    code: EXIT.unreachable,
    what: 'a Postgres that does not answer',
    run: () => cli(['tasks', 'list'], { env: { DATABASE_URL: NOWHERE } }),
  },
  {
    code: EXIT.unreachable,
    what: 'a wrong password',
    run: () => cli(['tasks', 'list'], { env: { DATABASE_URL: wrongPassword } }),
  },
  {
    code: EXIT.unreachable,
    what: 'no such database',
    run: () => cli(['tasks', 'list'], { env: { DATABASE_URL: noDatabase } }),
  },
  {
    code: EXIT.unreachable,
    what: 'missing migrations',
    run: () => cli(['tasks', 'list'], { env: { DATABASE_URL: empty } }),
  },
  {
    code: EXIT.notRun,
    what: 'a run that was not carried out',
    run: () =>
      meanwhile('cancelled', cli(['tasks', 'trigger', 'cancelled', '--wait']), (id) => cli(['runs', 'cancel', id])),
  },
  {
    code: EXIT.interrupted,
    what: 'Ctrl-C while it waits',
    run: () => {
      const waiting = cli(['tasks', 'trigger', 'interrupted', '--wait'], { env, signal: interrupt.signal });
      return meanwhile('interrupted', waiting, () => interrupt.abort());
    },
  },
  {
    code: EXIT.internal,
    what: 'a mistake of ours',
    run: () =>
      cli(['next', '0 3 * * *'], {
        clock: {
          now: () => {
            throw new TypeError('a mistake');
          },
          monotonicMs: () => 0,
        },
      }),
  },
];

/** What happened, with the value, and below it what helps. An import says it of each line. */
const SHAPE = /^error: .+\n {2}\S|Nothing is written: --strict/m;

test.each(DRIVES)('$what ends with $code, and a stack is only for a mistake of ours', async ({ code, run }) => {
  const ended = await run();
  expect(ended.code, ended.stderr).toBe(code);
  if (code === EXIT.internal)
    expect(ended.stderr).toMatch(/^error: a mistake in escapement itself: TypeError: a mistake\n\s+at /m);
  else expect(ended.stderr).not.toMatch(/\n\s+at \S+.*:\d+/);
  if (code === EXIT.usage || code === EXIT.unreachable) expect(ended.stderr + ended.stdout).toMatch(SHAPE);
});

test('each documented code is driven by a command', () => {
  expect([...new Set(DRIVES.map(({ code }) => code))].sort()).toEqual([...documented.keys()].sort());
});

test('a database that is not there is made by the command that the error names', async () => {
  const { stderr } = await cli(['tasks', 'list'], { env: { DATABASE_URL: noDatabase } });
  expect(stderr).toContain('create it (`escapement migrate --create-database`)');
});

test('a list of names that is longer than a handful is cut', async () => {
  const { stderr } = await cli(['tasks', 'list'], { env: { DATABASE_URL: empty } });
  expect(stderr).toMatch(/lacks \d{2,} of this version's migrations: (\S+, ){4}\S+ and \d+ more\n/);
});

test('nobody is told of the command of a clone outside of one', async () => {
  const outside = await cli(['tasks', 'list'], { cwd: files.path });
  expect(outside.stderr).toContain('start `npx escapement dev`');
  const inside = await cli(['tasks', 'list'], { cwd: fileURLToPath(new URL('.', import.meta.url)) });
  expect(inside.stderr).toContain('start `npm run dev`');
});
