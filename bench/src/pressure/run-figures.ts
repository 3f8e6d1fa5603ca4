import { SECOND } from '@escapement/core';
import { quantile } from '../table.ts';
import type { SeenRun } from './seen-runs.ts';

/** A phase and the rest after it, by the wall clock. */
export interface Span {
  fromMs: number;
  toMs: number;
  /** The end of the rest. */
  untilMs: number;
}

export interface Late {
  p50: number;
  p99: number;
}

/** What became of runs. */
export interface RunFigures {
  /** Runs that have a row, of those that were due in the phase. */
  rows: number;
  /** Runs that succeeded in a second of the phase, and of the rest; NaN without a rest. */
  during: number;
  after: number;
  /** Milliseconds from due to the start of the last attempt, of runs due in the phase and in the rest. Without a start: no end. */
  late: Late;
  lateAfter: Late;
  /** Runs due in the phase that began more than once. */
  retried: number;
  /** Runs due in the phase that have not succeeded. */
  unsuccessful: number;
  /** Milliseconds from the end of the phase until the fleet has caught up; NaN: not in the rest. */
  drainMs: number;
}

const STEP_MS = 250;

/** `perSecond` is the steady load: a fleet has caught up when at most half a second of it is open. */
export function runFigures(runs: readonly SeenRun[], { fromMs, toMs, untilMs }: Span, perSecond: number): RunFigures {
  const dueIn = (from: number, to: number) => runs.filter(({ dueMs }) => dueMs >= from && dueMs < to);
  const due = dueIn(fromMs, toMs);
  return {
    rows: due.length,
    during: perSecondBetween(runs, fromMs, toMs),
    after: perSecondBetween(runs, toMs, untilMs),
    late: lateOf(due),
    lateAfter: lateOf(dueIn(toMs, untilMs)),
    retried: due.filter(({ attempts }) => attempts > 1).length,
    unsuccessful: due.filter(({ state }) => state !== 'succeeded').length,
    drainMs: drainOf(runs, toMs, untilMs, perSecond / 2),
  };
}

function perSecondBetween(runs: readonly SeenRun[], fromMs: number, toMs: number): number {
  if (toMs <= fromMs) return Number.NaN;
  const ended = runs.filter(
    ({ state, endedMs }) => state === 'succeeded' && endedMs !== null && endedMs >= fromMs && endedMs < toMs,
  );
  return (ended.length * SECOND) / (toMs - fromMs);
}

function lateOf(runs: readonly SeenRun[]): Late {
  const late = runs.map(({ dueMs, startedMs }) => (startedMs ?? Number.POSITIVE_INFINITY) - dueMs);
  return { p50: quantile(late, 0.5), p99: quantile(late, 0.99) };
}

function drainOf(runs: readonly SeenRun[], toMs: number, untilMs: number, most: number): number {
  for (let atMs = toMs; atMs <= untilMs; atMs += STEP_MS) if (openAt(runs, atMs) <= most) return atMs - toMs;
  return Number.NaN;
}

function openAt(runs: readonly SeenRun[], atMs: number): number {
  return runs.filter(({ dueMs, endedMs }) => dueMs < atMs && (endedMs === null || endedMs >= atMs)).length;
}
