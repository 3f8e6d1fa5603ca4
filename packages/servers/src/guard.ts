import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { EscapementError } from '@escapement/core';

export const WATCHDOG_MARK = 'escapement-watchdog';

/**
 * The watchdog: a process of its own session that starts the server and ends it when its channel to
 * the owner closes, which the kernel does however the owner dies. It is plain JavaScript in a string
 * because it must start without a loader, from sources as well as from a build.
 */
const WATCHDOG = `
const { spawn } = require('node:child_process');
const { rmSync } = require('node:fs');
const job = JSON.parse(process.argv[1]);
const server = spawn(job.command, job.args, {
  cwd: '/', uid: job.uid, gid: job.gid, stdio: ['ignore', 'inherit', 'inherit'], detached: true,
});
const tell = (message) => { if (process.connected) process.send(message, () => {}); };
const clean = () => {
  if (job.removeDir) rmSync(job.removeDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
};
let stopping = false;
const stop = () => {
  if (stopping) return;
  stopping = true;
  server.kill(job.stopSignal);
  setTimeout(() => server.kill('SIGKILL'), job.graceMs).unref();
};
server.once('spawn', () => tell({ pid: server.pid }));
server.once('error', (error) => { console.error(error.message); clean(); process.exit(127); });
server.once('exit', (code) => { clean(); process.exit(code ?? 1); });
process.once('disconnect', stop);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
`;

export interface GuardedCommand {
  command: string;
  args: string[];
  uid?: number | undefined;
  gid?: number | undefined;
  /** The signal that asks the server to end; SIGKILL follows after 5 s. */
  stopSignal: NodeJS.Signals;
  /** Receives standard output and error; begun anew. */
  logFile: string;
  /** A folder to delete once the server has ended, whoever ended it. */
  removeDir?: string | undefined;
}

/** A server under its watchdog. */
export interface GuardedProcess {
  /** Process id of the server. */
  pid: number;
  watchdogPid: number;
  /** False once the server has ended. */
  running(): boolean;
  /** Settles when the server has ended, for whatever reason. */
  ended: Promise<void>;
  /** Ends the server in order (SIGKILL after 5 s) and waits for it. Again is harmless. */
  stop(): Promise<void>;
  /** What the server wrote, for error messages. */
  output(): Promise<string>;
}

/** Starts a server that cannot outlive this process, not even when this process is killed. */
export async function startGuarded(command: GuardedCommand): Promise<GuardedProcess> {
  const { logFile, ...job } = command;
  const log = openSync(logFile, 'w');
  const watchdog = spawn(
    process.execPath,
    ['-e', WATCHDOG, JSON.stringify({ ...job, graceMs: 5_000 }), WATCHDOG_MARK],
    { cwd: '/', detached: true, stdio: ['ignore', log, log, 'ipc'] },
  );
  closeSync(log);
  const output = () => readFile(logFile, 'utf8').catch(() => '');
  const ended = new Promise<void>((resolve) => watchdog.once('exit', () => resolve()));
  const pid = await Promise.race([serverPid(watchdog), ended.then(() => undefined)]);
  if (pid === undefined || watchdog.pid === undefined)
    throw new EscapementError('server_start', `${command.command} could not be started: ${(await output()).trim()}`);
  watchdog.unref();
  watchdog.channel?.unref();
  return {
    pid,
    watchdogPid: watchdog.pid,
    running: () => watchdog.exitCode === null && watchdog.signalCode === null,
    ended,
    output,
    stop: async () => {
      if (watchdog.connected) watchdog.disconnect();
      watchdog.ref();
      if (watchdog.exitCode === null && watchdog.signalCode === null) await ended;
    },
  };
}

function serverPid(watchdog: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    watchdog.once('error', reject);
    watchdog.once('message', (message: { pid: number }) => resolve(message.pid));
  });
}
