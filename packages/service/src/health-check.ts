import { type Clock, SECOND } from '@escapement/core';
import { systemTimer, type Timer } from './timer.ts';

/** One thing that must be well for the process to be ready. */
export interface HealthCheck {
  name: string;
  /** A rejection counts as not well. Its error goes to the log: it may name hosts and users, and anybody may ask. */
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

export interface CheckRunnerOptions {
  clock: Clock;
  /** So long an answer is given again. Milliseconds, default 0. */
  freshMs?: number;
  /** Told when a check begins to reject, and then when it does so with another message. */
  onError?: (check: string, error: unknown) => void;
  timer?: Timer;
}

/**
 * Runs all checks side by side, each within its time. A check that still hangs from last time is not begun
 * again but reported: probes keep coming while a server is dead, and must not pile up.
 */
export function createCheckRunner(
  checks: readonly HealthCheck[],
  { clock, freshMs = 0, onError = () => undefined, timer = systemTimer }: CheckRunnerOptions,
): () => Promise<CheckAnswer[]> {
  const running = new Map<HealthCheck, { result: Promise<CheckResult>; startedMs: number }>();
  const logged = new Map<HealthCheck, string>();
  let last: { answers: CheckAnswer[]; atMs: number; count: number } | undefined;

  function rejected(check: HealthCheck, error: unknown): CheckResult {
    const message = messageOf(error);
    if (logged.get(check) !== message) onError(check.name, error);
    logged.set(check, message);
    return { ok: false, detail: 'failed; the log of this process says why' };
  }

  function begin(check: HealthCheck) {
    const known = running.get(check);
    if (known) return known;
    const result = Promise.resolve()
      .then(check.run)
      .then((found) => {
        logged.delete(check);
        return found;
      })
      .catch((error) => rejected(check, error))
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

  async function runAll(): Promise<CheckAnswer[]> {
    const answers = await Promise.all(checks.map(answer));
    last = { answers, atMs: clock.monotonicMs(), count: checks.length };
    return answers;
  }

  return () => {
    // More checks join while the process starts.
    const isFresh = last?.count === checks.length && clock.monotonicMs() - last.atMs < freshMs;
    return last && isFresh ? Promise.resolve(last.answers) : runAll();
  };
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
