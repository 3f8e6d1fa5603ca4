import { readFile } from 'node:fs/promises';

const MB = 1024 * 1024;

/** What a process holds in memory, in MB, or undefined where that cannot be read (not Linux, or it is gone). */
export async function residentMb(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Math.round((Number(kilobytes) * 1024) / MB);
}
