import {
  type Difference,
  type Handover,
  type LineComparison,
  MOST_DIFFERENCES,
  minuteOf,
  sideAt,
} from '@escapement/core/shadow';
import type { ReportedStart } from '@escapement/store';

/** What a host has told of a line, by who was to run it then. What nobody knows yet is in none. */
export interface StartsBySide {
  /** cron ran it, as it was to. */
  cron: ReportedStart[];
  /** cron ran what the fleet has. */
  both: ReportedStart[];
  /** It was left to the fleet, which did not have it. */
  neither: ReportedStart[];
}

export function bySide(starts: readonly ReportedStart[], handovers: readonly Handover[]): StartsBySide {
  const of = (left: boolean, side: 'cron' | 'fleet') =>
    starts.filter(({ leftToFleet, startedAt }) => leftToFleet === left && sideAt(handovers, startedAt) === side);
  return { cron: of(false, 'cron'), both: of(false, 'fleet'), neither: of(true, 'cron') };
}

/** A comparison of what cron was to run, with what it should not have run, and what neither has. */
export function withSides(line: LineComparison, { both, neither }: StartsBySide): LineComparison {
  if (both.length === 0 && neither.length === 0) return line;
  const twice = both.map(
    ({ startedAt: at }): Difference => ({
      ...{ at, kind: 'only-cron', cause: null },
      words: 'the fleet has it, and cron ran it too: the files of the cut-over on the host are lost',
    }),
  );
  const left = new Set(neither.map(({ startedAt }) => minuteOf(startedAt)));
  const own = line.differences.map((each) =>
    each.kind === 'only-here' && left.has(minuteOf(each.at))
      ? { ...each, words: 'the host left it to the fleet, which did not have it: nobody ran it' }
      : each,
  );
  const differences = [...own, ...twice].sort((one, other) => one.at.getTime() - other.at.getTime());
  return {
    ...line,
    differences: differences.slice(-MOST_DIFFERENCES),
    onlyCron: line.onlyCron + twice.length,
    unexplained: line.unexplained + twice.length,
  };
}
