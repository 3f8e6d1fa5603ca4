import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

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
  /** Gets each line that the process writes to its error output. Default: the benchmark's own error output gets them. */
  onErrorLine?: (line: string) => void;
}

/** Starts a file of this folder with node alone, and waits until it says that it has started. */
export async function startChild(file: string, input: object, options: ChildOptions = {}): Promise<Child> {
  const { profileDir, onErrorLine } = options;
  const execArgv = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const child = fork(new URL(file, import.meta.url), [JSON.stringify(input)], {
    execArgv,
    stdio: ['inherit', 'inherit', onErrorLine ? 'pipe' : 'inherit', 'ipc'],
  });
  if (onErrorLine && child.stderr) createInterface({ input: child.stderr }).on('line', onErrorLine);
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
