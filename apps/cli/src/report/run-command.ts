import { spawn } from 'node:child_process';
import { constants } from 'node:os';

export interface Ended {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];
/** As shells end with where there is no such program, and where it may not be run. */
const [NOT_FOUND, NOT_RUNNABLE] = [127, 126];

/**
 * Runs a command as cron does: one word is for the shell that the crontab names, several are a program and its arguments. It has the input,
 * output, environment and folder of this process, and gets its signals. `begun` is called once it runs.
 */
export async function runAsCron(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  begun: () => void,
): Promise<Ended> {
  const [first = '', ...rest] = words;
  const [program, given] = rest.length > 0 ? [first, rest] : [env.SHELL || '/bin/sh', ['-c', first]];
  const child = spawn(program, given, { stdio: 'inherit', env });
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of PASSED_ON) process.on(signal, passOn);
  return await new Promise((resolve) => {
    child.once('spawn', begun);
    child.once('error', (error: NodeJS.ErrnoException) => {
      process.stderr.write(`escapement report: ${program}: ${error.code === 'ENOENT' ? 'not found' : error.message}\n`);
      resolve({ exitCode: error.code === 'ENOENT' ? NOT_FOUND : NOT_RUNNABLE, signal: null });
    });
    child.once('exit', (exitCode, signal) => {
      for (const each of PASSED_ON) process.off(each, passOn);
      resolve({ exitCode, signal });
    });
  });
}

/** Ends this process as the command has ended. */
export function endAs({ exitCode, signal }: Ended): void {
  process.exitCode = exitCode ?? 128 + (signal ? constants.signals[signal] : 0);
  if (signal !== null) process.kill(process.pid, signal);
}
