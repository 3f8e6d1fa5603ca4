import { type CalendarsInForce, isExcluded, movedTo, reachOf } from '../schedule/oracle/calendar.ts';
import { oracleFires } from '../schedule/oracle/fires.ts';
import type { ScheduleSpec } from '../schedule/spec.ts';
import type { InForce, LedgerQuestion } from './question.ts';

/** When a task was due in (from, to], each instant by the version that was in force, the earliest first. */
export function expectedFires(question: Pick<LedgerQuestion, 'name' | 'versions' | 'from' | 'to'>): number[] {
  const found = new Set<number>();
  for (const version of question.versions) {
    const from = new Date(Math.max(question.from.getTime(), version.effectiveAt.getTime() - 1));
    const to = new Date(Math.min(question.to.getTime(), (version.endedAt?.getTime() ?? Number.POSITIVE_INFINITY) - 1));
    if (from >= to) continue;
    for (const at of firesOf(version, { from, to, seed: version.name ?? question.name })) found.add(at);
  }
  return [...found].sort((a, b) => a - b);
}

function firesOf(version: InForce, { from, to, seed }: { from: Date; to: Date; seed: string }): number[] {
  const { schedule, calendars, zones } = version;
  if (!calendars?.shift) return oracleFires(schedule, from, to, { seed, zones }).map((fire) => fire.getTime());
  const reach = reachOf(calendars, { from, to });
  return oracleFires(schedule, reach.from, reach.to, { seed, zones })
    .map((fire) => movedTo(fire.getTime(), calendars, zoneOf(schedule, calendars)))
    .filter((at) => at > from.getTime() && at <= to.getTime());
}

/** The days are moved on the schedule's own clock; one without a zone goes by its first calendar's. */
function zoneOf(schedule: ScheduleSpec, { exclude }: CalendarsInForce): string {
  return 'timeZone' in schedule ? schedule.timeZone : (exclude[0]?.timeZone ?? 'UTC');
}

/**
 * The version in force at an instant, if its calendars exclude that; `madeAt`: a date that had passed when it was saved
 * was judged when its row was made.
 */
export function exclusionAt(versions: readonly InForce[], at: number, madeAt: Date): InForce | undefined {
  return versions.find(
    (version) =>
      (isInForce(version, at) || (mayHaveFired(version, at) && isInForce(version, madeAt.getTime()))) &&
      excludes(version, at),
  );
}

function excludes({ calendars }: InForce, at: number): boolean {
  return calendars !== undefined && isExcluded(calendars, at);
}

/**
 * Whether a version may have made a row of an instant that the oracle does not say: a date that had passed when it was
 * saved, or whatever instant a run before had its end.
 */
export function mayHaveFired(version: InForce, at: number): boolean {
  const { schedule, effectiveAt, calendars } = version;
  if (schedule.kind === 'fixed-delay') return isInForce(version, at);
  if (schedule.kind !== 'once' || at >= effectiveAt.getTime()) return false;
  const fire = Date.parse(schedule.at);
  return at === (calendars?.shift ? movedTo(fire, calendars, zoneOf(schedule, calendars)) : fire);
}

export function isInForce({ effectiveAt, endedAt }: InForce, at: number): boolean {
  return effectiveAt.getTime() <= at && at < (endedAt?.getTime() ?? Number.POSITIVE_INFINITY);
}
