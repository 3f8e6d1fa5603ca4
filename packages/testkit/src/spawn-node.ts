import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { built } from './built.ts';
import { afterFile } from './clean-up.ts';
import { databaseFor } from './database-users.ts';
import { type Armed, createFailpointControl, type FailpointControl, type Injection } from './failpoints/control.ts';
import type { ArmingOptions } from './failpoints/patch.ts';
import { reapWithUs } from './reaper.ts';
import { testServers } from './test-servers.ts';

const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const preload = new URL('./failpoints/preload.mjs', import.meta.url).href;

export interface SpawnOptions {
  args?: string[];
  /**
   * Added to the environment of the test; undefined takes a variable away. In DATABASE_URL a scheduler or worker gets the user of its role. Tasks of a worker run as the test's own user unless it
   * says otherwise: nobody else need be able to read the build.
   */
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** The user and group it belongs to; the test must be root. */
  ids?: { uid: number; gid: number };
  /** The program itself. Default: that of this process. */
  node?: string;
  /** What it can read from descriptor 3. */
  given?: string;
  /** Runs the source itself, through a loader, as `npm run dev` does. Default: what was built from it, as in production. */
  fromSource?: boolean;
  /** Failpoints that can be armed, guards that are taken away: the testkit's loader rewrites these modules on load. */
  inject?: Injection;
}

export interface Exit {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A Node process that a test started. It is killed, with its children, after the test file. */
export interface NodeProcess {
  readonly pid: number;
  /** All lines it wrote so far, standard output and error as they came. */
  readonly lines: readonly string[];
  /** The first line that contains or matches `what`, also one written before. Rejects after 15 s or when the process ends without it. */
  waitForLine(what: string | RegExp, timeoutMs?: number): Promise<string>;
  /** SIGTERM (or another), then waits for the end. */
  terminate(signal?: NodeJS.Signals): Promise<Exit>;
  /** SIGKILL to it and its process group, then waits. */
  kill(): Promise<Exit>;
  /** SIGSTOP: alive, but silent. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
  /** Makes something happen at one of its failpoints. */
  arm(options: ArmingOptions): Armed;
  /** Settles when it has ended and all its output is read. */
  readonly exited: Promise<Exit>;
}

/** For workers. Where there are no user ids, there is no choice either. */
const OWN_USER = process.getuid ? { ESCAPEMENT_RUN_AS: String(process.getuid()) } : {};

/** Runs a program, named by its source file, in a process group of its own. */
export function spawnNode(entry: string | URL, options: SpawnOptions = {}): NodeProcess {
  const { fromSource = false } = options;
  const source = entry instanceof URL ? fileURLToPath(entry) : entry;
  const file = source.endsWith('.ts') && !fromSource ? built(source) : source;
  const control = options.inject && createFailpointControl(options.inject);
  const child = spawn(
    options.node ?? process.execPath,
    [...nodeOptions(fromSource, control), file, ...(options.args ?? [])],
    {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', ...(options.given === undefined ? [] : (['pipe'] as const))],
      ...options.ids,
      env: { ...process.env, ...OWN_USER, ...control?.env, ...options.env, ...databaseOf(source, options.env) },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    },
  );
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} could not be started`);
  const channel = child.stdio[3];
  if (channel instanceof Writable) channel.end(options.given);
  reapWithUs(child);
  const { DATABASE_URL: given } = options.env ?? {};
  const isOurs = databaseOf(source, options.env).DATABASE_URL !== given;
  const exited = new Promise<Exit>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  const kill = () => {
    killGroup(child, pid);
    return exited;
  };
  afterFile(async () => {
    await kill();
    control?.close();
    if (isOurs) refuseRefusals(source, output.lines);
  });
  const output = collectLines(child, file, exited);
  return {
    pid,
    exited,
    kill,
    ...output,
    terminate: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
    arm(arming) {
      if (!control) throw new Error(`nothing was injected into ${file}`);
      return control.arm(arming);
    },
    freeze: () => void process.kill(-pid, 'SIGSTOP'),
    thaw: () => void process.kill(-pid, 'SIGCONT'),
  };
}

/** Schedulers and workers get the database as users with the rights of their role. */
function databaseOf(source: string, env: SpawnOptions['env']): { DATABASE_URL?: string } {
  const url = env?.DATABASE_URL;
  if (url === undefined) return {};
  return { DATABASE_URL: databaseFor(source, url, new URL(testServers().postgresUrl).username) };
}

/** A program goes on after an error in the background: that its role lacks a right would not show otherwise. */
function refuseRefusals(program: string, lines: readonly string[]): void {
  const refused = lines.find((line) => line.includes('permission denied for') || line.includes('must be owner of'));
  if (refused !== undefined) throw new Error(`Postgres refused ${program} a right: ${refused}`);
}

/** The testkit's loader goes first, so that it sees sources as they are written. */
function nodeOptions(fromSource: boolean, control: FailpointControl | undefined): string[] {
  const loader = fromSource ? ['--conditions=@escapement/source', '--import', tsx] : [];
  return control ? ['--import', preload, ...loader] : loader;
}

function killGroup(child: ChildProcess, pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

function collectLines(child: ChildProcess, file: string, exited: Promise<Exit>) {
  const lines: string[] = [];
  const listeners = new Set<(line: string) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      for (const listener of listeners) listener(line);
    });
  }
  const waitForLine = (what: string | RegExp, timeoutMs = 15_000): Promise<string> =>
    new Promise((resolve, reject) => {
      const matches = (line: string) => (typeof what === 'string' ? line.includes(what) : what.test(line));
      const earlier = lines.find(matches);
      if (earlier !== undefined) return resolve(earlier);
      const settle = (end: () => void) => {
        clearTimeout(timer);
        listeners.delete(listener);
        end();
      };
      const fail = (why: string) =>
        settle(() => reject(new Error(`${file} ${why} without a line with ${what}; it wrote:\n${lines.join('\n')}`)));
      const listener = (line: string) => matches(line) && settle(() => resolve(line));
      const timer = setTimeout(() => fail(`ran ${timeoutMs} ms`), timeoutMs);
      listeners.add(listener);
      void exited.then(({ code, signal }) => fail(`ended (${signal ?? code})`));
    });
  return { lines, waitForLine };
}
