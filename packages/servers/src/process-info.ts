import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { run } from './command.ts';

/** Whether a process of that id runs, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !isZombie(pid);
}

/** Dead, but not yet noticed by its parent: in a container whose first process reaps nobody, for ever. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The command line of a process, '' when it is gone. Ids are recycled, so look before you kill. */
export async function commandLine(pid: number): Promise<string> {
  if (!isAlive(pid)) return '';
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
  } catch {
    const ps = await run('ps', ['-o', 'command=', '-p', String(pid)], { timeoutMs: 2_000 });
    return ps.code === 0 ? ps.stdout : '';
  }
}

/** Waits until a process is gone. False when it is still there after `timeoutMs`. */
export async function gone(pid: number, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (isAlive(pid)) {
    if (performance.now() > end) return false;
    await delay(20);
  }
  return true;
}

/** Ends a process: asks with `signal`, after 5 s kills it. */
export async function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  sendSignal(pid, signal);
  if (await gone(pid, 5_000)) return;
  sendSignal(pid, 'SIGKILL');
  await gone(pid, 5_000);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself in the meantime.
  }
}
