import { type Clock, MINUTE, type RunInfo, SECOND } from '@escapement/core';
import { type TimeboxOperator, type TimeboxOptions, type TimeboxResult, timebox } from './timebox.ts';

/** What is kept free of the time to the next occurrence, and to the time limit: this share of it, */
const MARGIN_SHARE = 0.1;
/** at least this, but never more than half of the time, */
const LEAST_MARGIN_MS = 1 * SECOND;
/** and at most this. */
const MOST_MARGIN_MS = 1 * MINUTE;

export interface RunTimeboxOptions extends Pick<TimeboxOptions, 'algorithm' | 'estimate'> {
  /**
   * How long the box is open, in milliseconds, 0 or more. Default: the time that is left until the task's next occurrence, less
   * a margin. In any case no longer than the time that is left of the run's time limit, less a margin. The margin is
   * 10% of the whole time, at least 1 s (but no more than half of it), at most 60 s.
   */
  durationMs?: number | undefined;
}

export type RunTimebox = (operator: TimeboxOperator, options?: RunTimeboxOptions) => Promise<TimeboxResult>;

export interface RunTimeboxParts {
  run: Pick<RunInfo, 'startedAt' | 'nextAt' | 'timeoutMs'>;
  signal: AbortSignal;
  heartbeat: () => void;
  clock: Clock;
  /** What opens a box. Default: `timebox`. */
  open?: typeof timebox | undefined;
}

/** `ctx.timebox` of an attempt that begins now. Counts from there: this machine's clock may differ from that of Postgres. */
export function runTimebox({ run, signal, heartbeat, clock, open = timebox }: RunTimeboxParts): RunTimebox {
  const beganMs = clock.monotonicMs();
  return async (operator, { durationMs, ...options } = {}) => {
    const sinceMs = clock.monotonicMs() - beganMs;
    const withHeartbeat: TimeboxOperator = (turn) => {
      heartbeat();
      return operator(turn);
    };
    // What is no function is for the box to refuse.
    const work = typeof operator === 'function' ? withHeartbeat : operator;
    return await open(work, { ...options, durationMs: boxMs(run, durationMs, sinceMs), signal, clock });
  };
}

/** How long a box may be open that is opened so long after the attempt's begin. */
export function boxMs(run: RunTimeboxParts['run'], askedMs: number | undefined, sinceMs: number): number {
  const toNextMs = run.nextAt === null ? Number.POSITIVE_INFINITY : run.nextAt.getTime() - run.startedAt.getTime();
  const toLimitMs = lessMargin(run.timeoutMs) - sinceMs;
  const wantedMs = askedMs ?? lessMargin(toNextMs) - sinceMs;
  // NaN, text and less than nothing are for the box to refuse.
  if (!(wantedMs >= 0) && askedMs !== undefined) return askedMs;
  return Math.max(0, Math.min(wantedMs, toLimitMs));
}

function lessMargin(ms: number): number {
  const margin = Math.min(Math.max(ms * MARGIN_SHARE, LEAST_MARGIN_MS), MOST_MARGIN_MS);
  return ms - Math.min(margin, ms / 2);
}
