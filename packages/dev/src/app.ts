import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { say, sayLines } from './output.ts';
import { killTree, signalGroup } from './process-tree.ts';

export interface App {
  /** Ends the process and starts it anew, from its files as they are now. */
  restart(): Promise<void>;
  /** Starts the process where it has ended: what it lacked at its start may be there now. */
  revive(): Promise<void>;
  /** Ends the process for good. */
  stop(): Promise<void>;
  /** Whether the process runs: who answers at the port of one that has ended is another program. */
  isUp(): boolean;
}

/** Under the 5 s in which Ctrl-C must have ended everything, and over the grace time that dev gives runs. */
const KILL_AFTER_MS = 4_000;
const REVIVE_AFTER_MS = 1_000;

/**
 * Loaded into the apps: when the one who started them dies without a chance to stop them (kill -9), the kernel closes this channel,
 * and the app ends as it would on SIGTERM.
 */
const END_WITH_PARENT = `data:text/javascript,${encodeURIComponent(
  "process.on('disconnect', () => process.kill(process.pid, 'SIGTERM')); process.channel?.unref();",
)}`;

export interface AppProgram {
  /** Whose lines these are. */
  name: string;
  /** Options for Node, and the module to start. */
  start: readonly string[];
  cwd: string;
}

/**
 * Starts an app in a process group of its own, so that Ctrl-C reaches it through its stop alone. It reads `settings`, variables with
 * their values, from a descriptor, so that no environment shows them.
 */
export function startApp(
  { name, start: words, cwd }: AppProgram,
  env: NodeJS.ProcessEnv,
  settings: readonly string[] = [],
): App {
  const content = settings.join('\n');
  let child = start();
  let stopped = false;
  let work = Promise.resolve();

  function start(): ChildProcess {
    const started = spawn(process.execPath, ['--import', END_WITH_PARENT, ...words], {
      cwd,
      env: env.ESCAPEMENT_SETTINGS_FILE
        ? { ...env, ...parseEnv(content) }
        : { ...env, ESCAPEMENT_SETTINGS_FILE: '/dev/fd/4' },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    });
    const channel = started.stdio[4];
    // It may have ended before it reads.
    channel?.on('error', () => undefined);
    if (channel instanceof Writable) channel.end(content);
    if (started.stdout) sayLines(name, started.stdout);
    if (started.stderr) sayLines(name, started.stderr);
    started.once('exit', (code, signal) => onExit(started, code, signal));
    return started;
  }

  function onExit(ended: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    if (stopped || ended !== child || ending.has(ended)) return;
    if (signal === null) return say('dev', `${name} ended with code ${code}; it starts again when a file changes`);
    say('dev', `${name} was ended by ${signal}; starting it again`);
    work = work.then(async () => {
      await delay(REVIVE_AFTER_MS);
      if (!stopped && ended === child) child = start();
    });
  }

  return {
    restart: () => {
      work = work.then(async () => {
        await endProcess(child);
        if (!stopped) child = start();
      });
      return work;
    },
    revive: () => {
      work = work.then(() => {
        if (!stopped && hasEnded(child)) child = start();
      });
      return work;
    },
    stop: async () => {
      stopped = true;
      await endProcess(child);
    },
    isUp: () => !hasEnded(child),
  };
}

/** Processes that we asked to end: their exit is no news. */
const ending = new WeakSet<ChildProcess>();

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  ending.add(child);
  const exit = once(child, 'exit');
  signalGroup(child.pid, 'SIGTERM');
  const timer = setTimeout(killTree, KILL_AFTER_MS, child.pid);
  await exit;
  clearTimeout(timer);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
