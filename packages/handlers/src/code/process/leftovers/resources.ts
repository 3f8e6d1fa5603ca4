import { ChildProcess } from 'node:child_process';
import { natives } from '../natives.ts';

/** How a listener is named, before its event. */
export const LISTENER = 'a listener of process to';

/** How many there are of each kind. */
export type Counts = ReadonlyMap<string, number>;

/** What a connection pool keeps between two runs, by Node's names. */
const CONNECTIONS = ['TCPSocketWrap', 'PipeWrap', 'TLSWrap', 'UDPWRAP'];
/** Of this program's own messages. */
const OWN = ['WriteWrap', 'ShutdownWrap', 'TTYWrap'];
/** Node does not count a child that was told to hold nothing up, but the system does. */
const CHILDREN = `/proc/self/task/${process.pid}/children`;
const CHILD = 'ProcessWrap';
const NAMES: Readonly<Record<string, string>> = {
  Timeout: 'a timer',
  Immediate: 'a setImmediate',
  ProcessWrap: 'a child process',
  TCPSocketWrap: 'an open connection',
  TLSWrap: 'an open connection (TLS)',
  PipeWrap: 'an open pipe',
  UDPWRAP: 'an open UDP socket',
  TCPServerWrap: 'a server',
  PipeServerWrap: 'a server',
  MessagePort: 'a worker thread or message port',
  FSEventWrap: 'a watched file',
  StatWatcher: 'a watched file',
  FSReqCallback: 'an unfinished use of a file',
};

/** Repeating timers that hold no process up, so that Node does not count them: found as they are set so. */
const intervals = new Set<object>();

let hasStartedChildren = false;

/** To be called before code of tasks is loaded, as the next one. */
export function watchChildren(): void {
  const { prototype } = ChildProcess;
  const spawn: unknown = Reflect.get(prototype, 'spawn');
  if (typeof spawn !== 'function') return;
  const watched = function (this: object, ...given: unknown[]): unknown {
    hasStartedChildren = true;
    return natives.apply(spawn, this, given);
  };
  natives.defineProperty(prototype, 'spawn', { value: watched, writable: true, configurable: true });
}

export function watchIntervals(): void {
  const timer = natives.setTimeout(() => undefined, 0);
  const prototype: unknown = natives.prototypeOf(timer);
  natives.clearTimeout(timer);
  if (typeof prototype !== 'object' || prototype === null) return;
  const unref: unknown = Reflect.get(prototype, 'unref');
  if (typeof unref !== 'function') return;
  const watched = function (this: object): unknown {
    if (Reflect.get(this, '_repeat') !== null) intervals.add(this);
    return natives.apply(unref, this, []);
  };
  natives.defineProperty(prototype, 'unref', { value: watched, writable: true, configurable: true });
}

/** What is at work, and ends by itself or never: timers, children, servers, requests. */
export function workUnderWay(): Counts {
  const children = childrenOfSystem();
  const others = natives
    .activeResources()
    .filter((name) => !OWN.includes(name) && !CONNECTIONS.includes(name) && (name !== CHILD || children === undefined));
  return countsOf([...others, ...(children ?? [])]);
}

function childrenOfSystem(): string[] | undefined {
  if (!hasStartedChildren) return undefined;
  try {
    const pids = natives.readFile(CHILDREN, 'latin1').split(' ');
    return pids.filter((pid) => pid.trim() !== '').map(() => CHILD);
  } catch {
    return undefined;
  }
}

/** What modules keep for their next use. */
export function keptThings(): Counts {
  const connections = natives.activeResources().filter((name) => CONNECTIONS.includes(name));
  const listeners = natives.eventNames().flatMap((name) => {
    const words = `${LISTENER} ${String(name)}`;
    return Array.from({ length: natives.listenerCount(name) }, () => words);
  });
  const globals = Object.keys(globalThis).map((name) => `the global ${name}`);
  const repeating = livingIntervals().map(() => 'a repeating timer (unref)');
  return countsOf([...connections, ...listeners, ...globals, ...repeating, ...openFiles()]);
}

/** Equal where neither work nor kept things differ; costs a fraction of them. */
export function signature(): string {
  let text = `${Object.keys(globalThis).length} ${livingIntervals().length} ${openFiles().length}`;
  for (const name of natives.eventNames()) text += ` ${String(name)}${natives.listenerCount(name)}`;
  for (const name of natives.activeResources()) if (!OWN.includes(name)) text += ` ${name}`;
  return hasStartedChildren ? `${text} ${childrenOfSystem()?.length}` : text;
}

function livingIntervals(): object[] {
  for (const timer of intervals) if (Reflect.get(timer, '_destroyed') === true) intervals.delete(timer);
  return [...intervals];
}

let lastLowest = -1;
let lastFiles: string[] = [];

/** Files alone: sockets and pipes are counted otherwise. A file that was left open has taken the lowest descriptor that was free. */
function openFiles(): string[] {
  try {
    const lowest = natives.open('/dev/null', 'r');
    natives.close(lowest);
    if (lowest === lastLowest) return lastFiles;
    lastLowest = lowest;
    lastFiles = natives
      .readdir('/proc/self/fd')
      .map(linkOf)
      .filter((path) => /^\/(?!dev\/|proc\/)/.test(path));
    lastFiles = lastFiles.map((path) => `the open file ${path}`);
    return lastFiles;
  } catch {
    return [];
  }
}

function linkOf(descriptor: string): string {
  try {
    return natives.readlink(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}

function countsOf(names: readonly string[]): Counts {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** What there is more of than before, in words. */
export function moreThan(before: Counts, now: Counts): string[] {
  return [...now].flatMap(([name, count]) => {
    const more = count - (before.get(name) ?? 0);
    if (more <= 0) return [];
    const words = NAMES[name] ?? name;
    return [more === 1 ? words : `${words} (${more} times)`];
  });
}
