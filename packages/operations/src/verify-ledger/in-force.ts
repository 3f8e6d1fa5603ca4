import type { CalendarsInForce, CalendarUse } from '@escapement/core/schedule';
import type { InForce } from '@escapement/core/verify-ledger';
import type { CalendarInForce, VersionToVerify } from '@escapement/store';

/** The versions of a task, each cut where a calendar that it uses was edited. */
export function withCalendars(versions: readonly VersionToVerify[], calendars: readonly CalendarInForce[]): InForce[] {
  return versions.flatMap(({ use, ...version }) => {
    if (!use) return [version];
    const used = calendars.filter(({ name }) => use.exclude.includes(name));
    const ahead = madeAhead(version, used).map((at) => ({ ...version, endedAt: version.effectiveAt, knownFrom: at }));
    return [...ahead, ...cut(version, used)].map((piece) => ({
      ...piece,
      calendars: calendarsAt(piece.knownFrom ?? piece.effectiveAt, use, used),
    }));
  });
}

/** Since when rows of a version that was saved ahead were made with calendars that were edited before it counts. */
function madeAhead({ savedAt, effectiveAt }: InForce, calendars: readonly CalendarInForce[]): Date[] {
  if (!savedAt || savedAt >= effectiveAt) return [];
  return [savedAt, ...editsBetween(calendars, savedAt, effectiveAt)];
}

function cut(version: InForce, calendars: readonly CalendarInForce[]): InForce[] {
  const { effectiveAt, endedAt } = version;
  const starts = [effectiveAt, ...editsBetween(calendars, effectiveAt, endedAt)];
  return starts.map((start, index) => ({ ...version, effectiveAt: start, endedAt: starts[index + 1] ?? endedAt }));
}

/** Neither at the one nor at the other; null: without end. */
function editsBetween(calendars: readonly CalendarInForce[], from: Date, to: Date | null): Date[] {
  const edits = new Set(calendars.map((each) => each.effectiveAt.getTime()));
  const inside = [...edits].filter((at) => at > from.getTime() && (to === null || at < to.getTime()));
  return inside.sort((a, b) => a - b).map((at) => new Date(at));
}

function calendarsAt(at: Date, use: CalendarUse, calendars: readonly CalendarInForce[]): CalendarsInForce {
  const inForce = calendars.filter(
    ({ effectiveAt, endedAt }) => effectiveAt <= at && (endedAt === null || endedAt > at),
  );
  // In the order of the task: the first one's zone moves the days of a schedule that has none.
  const exclude = use.exclude.flatMap((name) => inForce.filter((each) => each.name === name));
  return {
    exclude: exclude.map(({ definition }) => definition),
    shift: use.shift,
    workingDayOffset: use.workingDayOffset,
  };
}
