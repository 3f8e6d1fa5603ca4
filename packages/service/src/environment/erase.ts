import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * Overwrites with zeros what the kernel shows as /proc/PID/environ: the strings that this process was started with. It
 * shows them for as long as the process lives, whatever becomes of `process.env`. Call it only when `process.env` is
 * empty, since the C library's variables point into that memory.
 *
 * @returns false where it cannot be done: no Linux, or a process whose memory its own user cannot open, in which case
 * nobody of that user can read its environment either
 */
export function eraseStartEnvironment(): boolean {
  try {
    const [start, end] = environmentBounds(readFileSync('/proc/self/stat', 'latin1'));
    const memory = openSync('/proc/self/mem', 'r+');
    try {
      return writeSync(memory, Buffer.alloc(end - start), 0, end - start, start) === end - start;
    } finally {
      closeSync(memory);
    }
  } catch {
    return false;
  }
}

/** `env_start` and `env_end` of proc(5): fields 50 and 51. The name in the second field may hold anything. */
export function environmentBounds(stat: string): [start: number, end: number] {
  const [start, end] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(47, 49)
    .map(Number);
  if (!start || !end || end < start) throw new Error('the kernel does not say where the environment lies');
  return [start, end];
}
