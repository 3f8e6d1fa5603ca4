import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process of the benchmark's fleet. */
export interface Child {
  pid: number;
  process: ChildProcess;
  /** Asks it to end and waits until it has. Again is harmless. */
  stop(): Promise<void>;
}

export interface ChildOptions {
  /** A profile of its processor time is written here when it ends. */
  profileDir?: string | undefined;
}

/** Starts a file of this folder with node alone, and waits until it says that it has started. */
export async function startChild(file: string, input: object, { profileDir }: ChildOptions = {}): Promise<Child> {
  const execArgv = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const child = fork(new URL(file, import.meta.url), [JSON.stringify(input)], { execArgv });
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (child.pid === undefined || message !== STARTED) throw new Error(`${file} ended before it had started`);
  return {
    pid: child.pid,
    process: child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      if (child.connected) child.disconnect();
      await once(child, 'exit');
    },
  };
}

const STARTED = 'started';
const STOP_MS = 10_000;

/** Says that it works, and ends in order when its parent is gone or asks for it. */
export function started(stop: () => Promise<void>): void {
  process.once('disconnect', async () => {
    // Servers that are gone must not keep it.
    setTimeout(() => process.exit(1), STOP_MS).unref();
    await stop();
    process.exit(0);
  });
  process.send?.(STARTED);
}
