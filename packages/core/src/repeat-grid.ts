import type { Schedule } from './schedule/index.ts';

/** Instants at a steady distance, in epoch milliseconds: `phaseMs + n * everyMs`. */
export interface RepeatGrid {
  readonly everyMs: number;
  /** At least 0, less than `everyMs`. */
  readonly phaseMs: number;
}

/** Intervals that ride repeatable jobs, both ends included. Milliseconds; a `toMs` of 0: none do. */
export interface RepeatRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The grid of a schedule that a repeatable job can follow: `every`, with an interval of the range. Null for all others, and
 * for those with jitter (they are due beside the grid) or an end (a repeatable job would go on firing).
 */
export function repeatGrid(schedule: Schedule, { fromMs, toMs }: RepeatRange): RepeatGrid | null {
  if (schedule.kind !== 'every' || schedule.everyMs < fromMs || schedule.everyMs > toMs) return null;
  const { jitterMs = 0, maxRuns } = schedule.spec;
  if (jitterMs > 0 || maxRuns !== undefined || schedule.endAt !== Number.POSITIVE_INFINITY) return null;
  return { everyMs: schedule.everyMs, phaseMs: schedule.phaseMs };
}

/** The first instant of the grid strictly after `atMs`. */
export function gridAfter({ everyMs, phaseMs }: RepeatGrid, atMs: number): number {
  return (Math.floor((atMs - phaseMs) / everyMs) + 1) * everyMs + phaseMs;
}

export function isOnGrid({ everyMs, phaseMs }: RepeatGrid, atMs: number): boolean {
  return (atMs - phaseMs) % everyMs === 0;
}
