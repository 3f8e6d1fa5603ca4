import { readdirSync, readFileSync } from 'node:fs';

const TICK_NS = 10_000_000;
const NS_PER_US = 1000;

/**
 * Processor time that a process has used, by all its threads and by children that have ended. Microseconds; from
 * /proc, so NaN on other systems than Linux and for a process that is gone.
 */
export function cpuUsOf(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const ownNs = threads.reduce((sum, thread) => sum + threadNs(pid, thread), 0);
    const [endedUser = 0, endedSystem = 0] = statOf(pid).slice(13, 15);
    return (ownNs + (endedUser + endedSystem) * TICK_NS) / NS_PER_US;
  } catch {
    return Number.NaN;
  }
}

/** As `cpuUsOf`, with the children that live: a Postgres and its backends. */
export function cpuUsOfFamily(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + (cpuUsOf(child) || 0), cpuUsOf(pid));
}

/** Time for which the machine's cores were busy, with whatever. Microseconds, all cores together. */
export function machineBusyUs(): number {
  try {
    const [, user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = (
      readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? ''
    )
      .split(/\s+/)
      .map(Number);
    return ((user + nice + system + irq + softIrq) * TICK_NS) / NS_PER_US;
  } catch {
    return Number.NaN;
  }
}

/** Resident memory. MB. */
export function rssMbOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

function threadNs(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    // It has ended since.
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** The fields of /proc/PID/stat from the third on, the state: [13] and [14] are those that proc(5) calls 16 and 17. */
function statOf(pid: number): number[] {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name may have blanks and brackets in it.
  return line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}
