import { readFileSync } from 'node:fs';

/** Whether a process is there, and is not merely waiting for its parent to take note of its end. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
