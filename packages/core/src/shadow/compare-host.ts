import { MINUTE } from '../clock.ts';
import type { Schedule } from '../schedule/index.ts';
import { type Difference, explainOnlyCron, explainOnlyHere, type HostFacts } from './explain-difference.ts';
import { type Agreed, type CronStart, type Paired, pairStarts } from './pair-starts.ts';

export type { Difference, DifferenceCause } from './explain-difference.ts';
export type { CronStart } from './pair-starts.ts';

/** A line of a crontab that cron runs, and whose task is in its shadow. */
export interface ShadowLine {
  id: string;
  schedule: Schedule;
  /** When it was due, by the ledger. */
  fires: readonly Date[];
  /** When cron has started it, by the reports of its host. */
  starts: readonly CronStart[];
  /** Planned since then: earlier starts belong to no plan. Default: since ever. */
  plannedSince?: Date | undefined;
}

/** What cron did with a line, beside what was planned for it. */
export interface LineComparison {
  id: string;
  agreed: number;
  /** How long after the due time cron started what was agreed on, at most and in the middle; null: nothing was. Milliseconds. */
  offByMs: { middle: number; most: number } | null;
  /** Due so recently that its start may not have been reported yet. */
  pending: number;
  /** The last ones, at most `MOST_DIFFERENCES`. */
  differences: Difference[];
  /** How many there are in all, of each kind; and of both, those that nothing explains. */
  onlyCron: number;
  onlyHere: number;
  unexplained: number;
  /** How long the command took; null: no end was reported. Milliseconds. */
  tookMs: { middle: number; most: number } | null;
  /** How often it ended with which exit code, or by which signal; the most frequent first. */
  exits: { exit: string; count: number }[];
}

/** A host that was away for days differs in ten thousands. */
export const MOST_DIFFERENCES = 200;

/** A start is reported when its command has ended, or ten seconds later; until so long after it was due nothing is missing. */
const REPORTED_MS = 2 * MINUTE;

/**
 * Compares what cron did on a host with what was planned. What was due before the host has first reported anything is left out: it was not
 * patched yet. Pure.
 */
export function compareHost(given: readonly ShadowLine[], { now }: { now: Date }): LineComparison[] {
  const lines = given.map((line) => ({ ...line, starts: startsOf(line) }));
  const starts = lines.flatMap((line) => line.starts).sort((one, other) => timeOf(one) - timeOf(other));
  const first = starts[0];
  const fromMs = first ? Math.floor(timeOf(first) / MINUTE) * MINUTE : Number.POSITIVE_INFINITY;
  const paired = lines.map((line) => ({
    line,
    ...pairStarts(
      line.fires.filter((at) => at.getTime() >= fromMs),
      line.starts,
    ),
  }));
  const missing = paired
    .flatMap(({ onlyHere }) => onlyHere.map((at) => at.getTime()))
    .sort((one, other) => one - other);
  return paired.map(({ line, ...each }) => compareLine(line, each, { host: { starts, missing }, now }));
}

function compareLine(
  { id, schedule, starts }: ShadowLine,
  { agreed, onlyCron, onlyHere }: Paired,
  { host, now }: { host: HostFacts; now: Date },
): LineComparison {
  const isDue = (at: Date) => now.getTime() - at.getTime() > REPORTED_MS;
  const differences = [
    ...onlyCron.map((start) => explainOnlyCron(start, schedule)),
    ...onlyHere.filter(isDue).map((at) => explainOnlyHere(at, schedule, host)),
  ].sort((one, other) => one.at.getTime() - other.at.getTime());
  return {
    id,
    agreed: agreed.length,
    offByMs: spanOf(agreed.map(({ offByMs }: Agreed) => offByMs)),
    pending: onlyHere.filter((at) => !isDue(at)).length,
    differences: differences.slice(-MOST_DIFFERENCES),
    onlyCron: differences.filter(({ kind }) => kind === 'only-cron').length,
    onlyHere: differences.filter(({ kind }) => kind === 'only-here').length,
    unexplained: differences.filter(({ cause }) => cause === null).length,
    tookMs: spanOf(
      starts.flatMap(({ startedAt, endedAt }) => (endedAt ? endedAt.getTime() - startedAt.getTime() : [])),
    ),
    exits: exitsOf(starts),
  };
}

function startsOf({ starts, plannedSince }: ShadowLine): readonly CronStart[] {
  return plannedSince ? starts.filter(({ startedAt }) => startedAt >= plannedSince) : starts;
}

function timeOf({ startedAt }: CronStart): number {
  return startedAt.getTime();
}

function spanOf(each: readonly number[]): { middle: number; most: number } | null {
  const sorted = each.toSorted((one, other) => one - other);
  const most = sorted.at(-1);
  return most === undefined ? null : { middle: sorted[Math.floor((sorted.length - 1) / 2)] ?? most, most };
}

function exitsOf(starts: readonly CronStart[]): { exit: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { endedAt, exitCode, signal } of starts) {
    const exit = signal ?? (exitCode === null ? undefined : String(exitCode));
    if (endedAt && exit !== undefined) counts.set(exit, (counts.get(exit) ?? 0) + 1);
  }
  return [...counts].map(([exit, count]) => ({ exit, count })).sort((one, other) => other.count - one.count);
}
