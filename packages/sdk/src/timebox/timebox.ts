import { type Clock, EscapementError, systemClock } from '@escapement/core';
import { DurationEstimate, ESTIMATES, type Estimate } from './duration-estimate.ts';
import { LoopBreaks } from './loop-breaks.ts';

const ALGORITHMS = ['loose', 'tight'] as const;
export type TimeboxAlgorithm = (typeof ALGORITHMS)[number];

export interface TimeboxOptions {
  /** How long the box is open, in milliseconds, 0 or more; 0: no turn is begun. */
  durationMs: number;
  /**
   * `loose`: turns are begun until the box has run out, so the last one ends after it. `tight` (default): a turn that by
   * the durations measured so far would end after the box is not begun. The first turn is always begun.
   */
  algorithm?: TimeboxAlgorithm | undefined;
  /**
   * What `tight` takes a turn to last: the longest one so far (`max`, default), the mean of all (`mean`), or what 95 of
   * 100 of the latest 1,000 turns did not exceed (`p95`).
   */
  estimate?: Estimate | undefined;
  /** Once aborted no further turn is begun; the turn under way is waited for, so pass it on: `turn.signal`. */
  signal?: AbortSignal | undefined;
  /** Measures the time. Default: the system's monotonic clock. */
  clock?: Clock | undefined;
}

/** What the operator is told of its turn. */
export interface TimeboxTurn {
  /** 0 for the first turn. */
  readonly index: number;
  /** What is left of the box, in milliseconds: more than 0. */
  readonly leftMs: number;
  /** The box's own signal; one that is never aborted if it was given none. */
  readonly signal: AbortSignal;
}

/** The work of one turn, sync or async. Returning `false` closes the box; anything else goes on. */
export type TimeboxOperator = (turn: TimeboxTurn) => unknown;

export interface TimeboxResult {
  /** How often the operator was called. */
  turns: number;
  /** From the opening of the box to the end of its last turn, in milliseconds. */
  elapsedMs: number;
  /** Why no further turn was begun: no time was left, the operator returned `false`, or the signal was aborted. */
  ended: 'time' | 'operator' | 'aborted';
  /** By how much the last turn ended after the box, in milliseconds; 0 if it did not. */
  overrunMs: number;
}

/**
 * Calls `operator` again and again while time is left. Rejects with what the operator throws, and with `bad_timebox` where
 * an option is wrong. Gives the event loop a turn of its own at least every 10 ms of quick turns, so that timers,
 * heartbeats and an abort get through; only a single long synchronous turn holds them up.
 */
export async function timebox(operator: TimeboxOperator, options: TimeboxOptions): Promise<TimeboxResult> {
  checkOptions(operator, options);
  const { durationMs, algorithm = 'tight', estimate = 'max', clock = systemClock } = options;
  const signal = options.signal ?? new AbortController().signal;
  const durations = algorithm === 'tight' ? new DurationEstimate(estimate) : undefined;
  const openedMs = clock.monotonicMs();
  const breaks = new LoopBreaks(clock);
  let turns = 0;
  let nowMs = openedMs;
  const result = (ended: TimeboxResult['ended']): TimeboxResult => {
    const elapsedMs = nowMs - openedMs;
    return { turns, elapsedMs, ended, overrunMs: turns === 0 ? 0 : Math.max(0, elapsedMs - durationMs) };
  };
  for (;;) {
    if (signal.aborted) return result('aborted');
    const leftMs = durationMs - (clock.monotonicMs() - openedMs);
    if (leftMs <= 0 || leftMs < (durations?.ms ?? 0)) return result('time');
    const beganMs = openedMs + durationMs - leftMs;
    const answer = operator({ index: turns, leftMs, signal });
    const said = isPromiseLike(answer) ? await answer : answer;
    nowMs = clock.monotonicMs();
    turns += 1;
    if (said === false) return result('operator');
    durations?.add(nowMs - beganMs);
    if (breaks.isDue(nowMs)) await breaks.take();
  }
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function checkOptions(operator: unknown, { durationMs, algorithm, estimate }: TimeboxOptions): void {
  if (typeof operator !== 'function') throw badTimebox(`the operator is ${named(operator)}`, 'pass a function');
  if (typeof durationMs !== 'number' || !Number.isFinite(durationMs) || durationMs < 0)
    throw badTimebox(`durationMs is ${named(durationMs)}`, 'give milliseconds, 0 or more, such as 5 * MINUTE');
  checkChoice('algorithm', algorithm, ALGORITHMS);
  checkChoice('estimate', estimate, ESTIMATES);
}

function checkChoice(option: string, value: string | undefined, allowed: readonly string[]): void {
  if (value !== undefined && !allowed.includes(value))
    throw badTimebox(`${option} is ${named(value)}`, `one of ${allowed.join(', ')}`);
}

function named(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function badTimebox(problem: string, fix: string): EscapementError {
  return new EscapementError('bad_timebox', `timebox: ${problem}`, { fix });
}
