import { type Clock, SECOND, systemClock } from '@escapement/core';
import { systemTimer, type Timer } from './timer.ts';

/** Holds a flood of like lines down to a trickle, and says how many it held back. */
export interface LogLimit {
  /** Calls `write` unless lines of this key, or all together, have had their share of the last second. */
  log(key: string, write: () => void): void;
  /** Reports what was held back so far; for the end of the process. */
  flush(): void;
}

/** What was held back since the last summary. */
export interface Suppressed {
  count: number;
  /** The keys with the most lines, largest first; at most five. */
  byKey: Record<string, number>;
}

export interface LogLimitOptions {
  /** Writes the summary line; `summaryText` words it. */
  summarise: (suppressed: Suppressed) => void;
  /** Lines of one key in any second. Default 2. */
  perKey?: number;
  /** Lines in any second in all, the summary included. Default 10 (I11). */
  total?: number;
  clock?: Clock;
  timer?: Timer;
}

/** More keys than this share one, so that keys made from changing values cannot fill the memory. */
const MAX_KEYS = 200;
const OTHER = 'other';
const SHOWN_KEYS = 5;

export function createLogLimit(options: LogLimitOptions): LogLimit {
  const { perKey = 2, total = 10, clock = systemClock, timer = systemTimer } = options;
  // One line in each second belongs to the summary.
  const all = createWindow(total - 1);
  const windows = new Map<string, Window>();
  const suppressed = new Map<string, number>();
  let cancelSummary: (() => void) | undefined;

  function windowOf(key: string): Window {
    const window = windows.get(key) ?? createWindow(perKey);
    windows.set(key, window);
    return window;
  }

  function admits(key: string): boolean {
    const nowMs = clock.monotonicMs();
    const own = windowOf(key);
    if (!own.hasRoom(nowMs) || !all.hasRoom(nowMs)) return false;
    own.take(nowMs);
    all.take(nowMs);
    return true;
  }

  function flush(): void {
    cancelSummary?.();
    cancelSummary = undefined;
    if (suppressed.size === 0) return;
    const ranked = [...suppressed].sort((a, b) => b[1] - a[1]);
    const count = ranked.reduce((sum, [, lines]) => sum + lines, 0);
    suppressed.clear();
    for (const [key, window] of windows) if (window.isIdle(clock.monotonicMs())) windows.delete(key);
    options.summarise({ count, byKey: Object.fromEntries(ranked.slice(0, SHOWN_KEYS)) });
  }

  return {
    log(wanted, write) {
      const key = windows.has(wanted) || windows.size < MAX_KEYS ? wanted : OTHER;
      if (admits(key)) return write();
      suppressed.set(key, (suppressed.get(key) ?? 0) + 1);
      cancelSummary ??= timer.after(SECOND, flush);
    },
    flush,
  };
}

/** `and 1,234 more like this` */
export function summaryText({ count }: Suppressed): string {
  return `and ${count.toLocaleString('en-US')} more like ${count === 1 ? 'it' : 'this'}`;
}

interface Window {
  hasRoom(nowMs: number): boolean;
  take(nowMs: number): void;
  isIdle(nowMs: number): boolean;
}

/** Remembers the last `size` lines, so that the bound holds for any second and not only for those that a clock begins. */
function createWindow(size: number): Window {
  const takenMs: number[] = [];
  return {
    hasRoom: (nowMs) => takenMs.length < size || nowMs - (takenMs[0] ?? 0) >= SECOND,
    take(nowMs) {
      takenMs.push(nowMs);
      if (takenMs.length > size) takenMs.shift();
    },
    isIdle: (nowMs) => nowMs - (takenMs.at(-1) ?? 0) >= SECOND,
  };
}
