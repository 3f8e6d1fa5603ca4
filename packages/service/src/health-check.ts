import { type Clock, SECOND } from '@escapement/core';
import { systemTimer, type Timer } from './timer.ts';

/** One thing that must be well for the process to be ready. */
export interface HealthCheck {
  name: string;
  /** A rejection counts as not well, with the error as the detail. */
  run: () => Promise<CheckResult>;
  /** A check that takes longer is not well. Milliseconds, default 2,000. */
  timeoutMs?: number;
}

export interface CheckResult {
  ok: boolean;
  /** For a person: what was found, and where it is not well the bound or the fix. */
  detail: string;
  /** The figure behind it, for graphs. */
  value?: number | string;
}

export interface CheckAnswer extends CheckResult {
  name: string;
  tookMs: number;
}

/**
 * Runs all checks side by side, each within its time. A check that still hangs from last time is not begun
 * again but reported: probes keep coming while a server is dead, and must not pile up.
 */
export function createCheckRunner(
  checks: readonly HealthCheck[],
  clock: Clock,
  timer: Timer = systemTimer,
): () => Promise<CheckAnswer[]> {
  const running = new Map<HealthCheck, { result: Promise<CheckResult>; startedMs: number }>();

  function begin(check: HealthCheck) {
    const known = running.get(check);
    if (known) return known;
    const result = Promise.resolve()
      .then(check.run)
      .catch((error) => ({ ok: false, detail: messageOf(error) }))
      .finally(() => running.delete(check));
    const begun = { result, startedMs: clock.monotonicMs() };
    running.set(check, begun);
    return begun;
  }

  async function answer(check: HealthCheck): Promise<CheckAnswer> {
    const { result, startedMs } = begin(check);
    const found = await within(result, check.timeoutMs ?? 2 * SECOND);
    const tookMs = Math.round(clock.monotonicMs() - startedMs);
    return { name: check.name, ...(found ?? { ok: false, detail: `no answer for ${tookMs} ms` }), tookMs };
  }

  function within<T>(result: Promise<T>, ms: number): Promise<T | undefined> {
    return new Promise((resolve) => {
      const cancel = timer.after(ms, () => resolve(undefined));
      result.then((value) => {
        cancel();
        resolve(value);
      });
    });
  }

  return () => Promise.all(checks.map(answer));
}

export interface AgeCheckOptions {
  name: string;
  /** What is watched, for the detail: `planner pass`. */
  what: string;
  /** When it last happened, in the clock's monotonic milliseconds; undefined if never. */
  lastMs: () => number | undefined;
  /** Older is not well. Milliseconds. */
  maxAgeMs: number;
  clock: Clock;
}

/** Well while something happened not too long ago: a loop that hangs is seen, though the process lives. */
export function ageCheck({ name, what, lastMs, maxAgeMs, clock }: AgeCheckOptions): HealthCheck {
  return {
    name,
    async run() {
      const last = lastMs();
      if (last === undefined) return { ok: false, detail: `no ${what} yet` };
      const ageMs = Math.round(clock.monotonicMs() - last);
      const ok = ageMs <= maxAgeMs;
      return { ok, detail: `last ${what} ${ageMs} ms ago${ok ? '' : `; at most ${maxAgeMs}`}`, value: ageMs };
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
