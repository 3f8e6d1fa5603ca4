import type { CalendarsInForce, CalendarUse, InForce } from '@escapement/core';
import type { CalendarInForce, VersionToVerify } from '@escapement/store';

/** The versions of a task, each cut where a calendar that it uses was edited. */
export function withCalendars(versions: readonly VersionToVerify[], calendars: readonly CalendarInForce[]): InForce[] {
  return versions.flatMap(({ use, ...version }) => {
    if (!use) return [version];
    const used = calendars.filter(({ name }) => use.exclude.includes(name));
    return cut(version, used).map((piece) => ({ ...piece, calendars: calendarsAt(piece.effectiveAt, use, used) }));
  });
}

function cut(version: InForce, calendars: readonly CalendarInForce[]): InForce[] {
  const { effectiveAt, endedAt } = version;
  const edits = new Set(calendars.map((each) => each.effectiveAt.getTime()));
  const inside = [...edits].filter((at) => at > effectiveAt.getTime() && (endedAt === null || at < endedAt.getTime()));
  const starts = [effectiveAt, ...inside.sort((a, b) => a - b).map((at) => new Date(at))];
  return starts.map((start, index) => ({ ...version, effectiveAt: start, endedAt: starts[index + 1] ?? endedAt }));
}

function calendarsAt(at: Date, use: CalendarUse, calendars: readonly CalendarInForce[]): CalendarsInForce {
  const inForce = calendars.filter(
    ({ effectiveAt, endedAt }) => effectiveAt <= at && (endedAt === null || endedAt > at),
  );
  // In the order of the task: the first one's zone moves the days of a schedule that has none.
  const exclude = use.exclude.flatMap((name) => inForce.filter((each) => each.name === name));
  return { exclude: exclude.map(({ definition }) => definition), shift: use.shift };
}
