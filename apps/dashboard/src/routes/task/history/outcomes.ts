import type { components } from '../../../api/generated/openapi.ts';
import type { Look } from '../../../states.ts';
import { RUN_LOOKS } from '../../../states.ts';
import { dateIn, daysAfter, hourIn, weekdayOf } from '../../../time/dates.ts';

export type Outcomes = components['schemas']['TaskOutcomes'];
type Counts = Pick<Outcomes, 'from' | 'to' | 'succeeded' | 'failed' | 'skipped' | 'missed' | 'cancelled'>;

/** The day grid has so many weeks, the present one the last; the hour grid so many days, today the first. */
export const WEEKS = 6;
export const DAYS = 14;
const WEEK = 7;
const HOURS = 24;

/** What is asked for: of the days before today. */
export const ASKED = { day: WEEK * WEEKS - 1, hour: DAYS - 1 } as const;

/** A day, or an hour of it, and what became of its runs; null: none has ended. */
export interface Cell {
  date: string;
  /** Undefined: the whole day. */
  hour?: number;
  outcomes: Counts | null;
}

/** Weeks from Monday on, up to that of today; days ahead are left out. */
export function weeksOf(items: readonly Outcomes[], { zone, today }: { zone: string; today: string }): Cell[][] {
  const byDate = new Map(items.map((item) => [dateIn(zone, Date.parse(item.from)), item]));
  const monday = daysAfter(today, -weekdayOf(today));
  return Array.from({ length: WEEKS }, (_, week) =>
    Array.from({ length: WEEK }, (_, day) => daysAfter(monday, WEEK * (week - WEEKS + 1) + day))
      .filter((date) => date <= today)
      .map((date) => ({ date, outcomes: byDate.get(date) ?? null })),
  );
}

/** Days from today on backwards, each with its 24 hours. Where clocks go back, an hour has the runs of both that are called so. */
export function hoursOf(
  items: readonly Outcomes[],
  { zone, today }: { zone: string; today: string },
): Required<Cell>[][] {
  const byHour = new Map<string, Counts>();
  for (const item of items) {
    const atMs = Date.parse(item.from);
    const name = nameOf(dateIn(zone, atMs), hourIn(zone, atMs));
    byHour.set(name, together(byHour.get(name), item));
  }
  return Array.from({ length: DAYS }, (_, ago) => daysAfter(today, -ago)).map((date) =>
    Array.from({ length: HOURS }, (_, hour) => ({ date, hour, outcomes: byHour.get(nameOf(date, hour)) ?? null })),
  );
}

const nameOf = (date: string, hour: number) => `${date} ${hour}`;

/** Of two hours that follow each other. */
function together(first: Counts | undefined, second: Counts): Counts {
  if (!first) return second;
  return {
    ...{ from: first.from, to: second.to },
    succeeded: first.succeeded + second.succeeded,
    failed: first.failed + second.failed,
    skipped: first.skipped + second.skipped,
    missed: first.missed + second.missed,
    cancelled: first.cancelled + second.cancelled,
  };
}

export function allOf({ succeeded, failed, skipped, missed, cancelled }: Counts): number {
  return succeeded + failed + skipped + missed + cancelled;
}

/** How a cell looks: by the worst that was in it, and how many were so. */
export function lookOf(of: Counts): { look: Look; count: number } {
  if (of.failed > 0) return { look: RUN_LOOKS.failed, count: of.failed };
  if (of.missed > 0) return { look: RUN_LOOKS.missed, count: of.missed };
  if (of.succeeded > 0) return { look: RUN_LOOKS.succeeded, count: of.succeeded };
  return { look: RUN_LOOKS.skipped, count: of.skipped + of.cancelled };
}
