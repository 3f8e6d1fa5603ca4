import { dateIn, daysAfter } from '../../../time/dates.ts';
import type { Outcomes } from './outcomes.ts';

export const SHARES = ['p50', 'p95', 'p99'] as const;

/** What part of the runs took at most so long. */
export type Share = (typeof SHARES)[number];

/** How long the runs of a day took, in milliseconds. */
export interface DayTimes {
  date: string;
  from: string;
  to: string;
  p50: number;
  p95: number;
  p99: number;
}

/** The days of which it is known, the oldest first. */
export function timesOf(items: readonly Outcomes[], zone: string): DayTimes[] {
  return items.flatMap(({ from, to, p50Ms: p50, p95Ms: p95, p99Ms: p99 }) =>
    p50 === null || p95 === null || p99 === null
      ? []
      : [{ date: dateIn(zone, Date.parse(from)), from, to, p50, p95, p99 }],
  );
}

/** Every day from one to another, with its times; null: none are known. */
export function everyDay(times: readonly DayTimes[], first: string, last: string): (DayTimes | null)[] {
  const byDate = new Map(times.map((each) => [each.date, each]));
  const days: (DayTimes | null)[] = [];
  for (let date = first; date <= last; date = daysAfter(date, 1)) days.push(byDate.get(date) ?? null);
  return days;
}

interface Scale {
  /** Width of a day. */
  pitch: number;
  height: number;
  mostMs: number;
}

/** A level line for each day, joined to that of the day after; a day of which nothing is known leaves a gap. */
export function stepsOf(days: readonly (DayTimes | null)[], share: Share, { pitch, height, mostMs }: Scale): string {
  const yOf = (ms: number) => Math.round(10 * (height - (height * ms) / mostMs)) / 10;
  return days
    .map((day, index) => {
      if (day === null) return '';
      const begins = index > 0 && days[index - 1] !== null ? 'V' : `M${index * pitch} `;
      return `${begins}${yOf(day[share])}H${(index + 1) * pitch}`;
    })
    .join('');
}
