import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Clock, systemClock } from '@escapement/core';
import { type Database, openDatabase } from '@escapement/store';
import { afterFile, asUser, testDatabase, testRedis } from '@escapement/testkit';

import { createOutput } from '../src/output/print.ts';
import { runCommand } from '../src/program.ts';
import { apiServer } from './api-server.ts';

const BIN = fileURLToPath(new URL('../bin/escapement.js', import.meta.url));

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  env?: Record<string, string>;
  /** Standard input. */
  input?: string;
  cwd?: string;
  clock?: Clock;
  /** What is answered at the terminal; default: there is none. */
  confirm?: (question: string) => Promise<boolean>;
  /** The line that is answered at the terminal; default: there is none. */
  ask?: (question: string) => Promise<string>;
  /** Ctrl-C. */
  signal?: AbortSignal;
  /** Of the terminal that standard output is; default: it is none. */
  columns?: number | undefined;
  /** Told all of standard output so far. */
  onWrite?: (written: string) => void;
}

/** The command as a process, as a user starts it. Sees no server but those in `env`. */
export async function runBin(args: readonly string[], options: CliOptions = {}): Promise<Ran> {
  const { DATABASE_URL: _, REDIS_URL: __, ...inherited } = process.env;
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { ...inherited, ...options.env },
    cwd: options.cwd ?? tmpdir(),
    stdio: 'pipe',
  });
  child.stdin.end(options.input ?? '');
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

/** `npm run verify` runs the tests of commands that ask the API a second time, with an API. */
export const overHttp = process.env.CLI_TESTS_OVER === 'http';

/** How acts of a test's own commands name who did them, in a regular expression. */
export const WHO = overHttp ? '(?:\\S+@\\S+|(?:token )?cli-test)' : '\\S+@\\S+';

/** The command inside the test: the same but for the process. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) => ({
    write: (piece: string) => {
      written[name] += piece;
      if (name === 'stdout') options.onWrite?.(written.stdout);
    },
  });
  const code = await runCommand(args, {
    output: createOutput({
      stdout: { ...stream('stdout'), ...(options.columns !== undefined && { columns: options.columns }) },
      stderr: stream('stderr'),
    }),
    env: options.env ?? {},
    cwd: options.cwd ?? tmpdir(),
    clock: options.clock ?? systemClock,
    stdin: async () => options.input ?? '',
    confirm: options.confirm,
    ask: options.ask,
    interruptible: () => options.signal ?? new AbortController().signal,
  });
  return { code, ...written };
}

/** A migrated database of the test file's own, with its connection and the environment that names it. */
export async function cliDatabase(): Promise<{
  db: Database;
  url: string;
  env: { DATABASE_URL: string; REDIS_URL: string; ESCAPEMENT_URL?: string; ESCAPEMENT_TOKEN?: string };
}> {
  const { url } = await testDatabase();
  const redis = await testRedis();
  const db = openDatabase({ url, applicationName: 'cli test' });
  afterFile(() => db.close());
  const env = { DATABASE_URL: asUser(url, 'api'), REDIS_URL: redis.url };
  if (!overHttp) return { db, url, env };
  const api = await apiServer(db);
  return { db, url, env: { ...env, ESCAPEMENT_URL: api.url, ESCAPEMENT_TOKEN: api.token } };
}

/** A folder of the test file's own, with a way to write files into it. */
export async function folder(): Promise<{ path: string; write: (name: string, content: string) => Promise<string> }> {
  const path = await mkdtemp(join(tmpdir(), 'escapement-cli-'));
  afterFile(() => rm(path, { recursive: true, force: true }));
  return {
    path,
    async write(name, content) {
      const file = join(path, name);
      await writeFile(file, content);
      return file;
    },
  };
}
