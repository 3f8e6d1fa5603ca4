import { spawnSync } from 'node:child_process';

/** Whether there is a process of that id, of whichever user. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Signals a whole process group; one that has ended meanwhile is no error. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // Gone.
  }
}

/** Kills a process with all that it started, whatever group they are in: shell tasks have one of their own. */
export function killTree(pid: number): void {
  const all = [pid, ...descendants(pid)];
  for (const one of all) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // Gone.
    }
  }
}

function descendants(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const pairs = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  for (const parent of found)
    for (const [child, its] of pairs) if (child !== undefined && its === parent) found.push(child);
  return found.slice(1);
}
