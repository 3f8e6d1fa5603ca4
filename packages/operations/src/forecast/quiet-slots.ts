import { DAY, MINUTE, nearestInstant } from '@escapement/core';
import {
  DAY_MINUTES,
  type DayWindow,
  type Forecast,
  quietestSlots,
  type Slot,
  type SlotCandidate,
  timeOfDay,
} from '@escapement/core/forecast';
import { firesBetween, parseSchedule } from '@escapement/core/schedule';
import type { Database } from '@escapement/store';
import { readForecast } from './read-forecast.ts';

export interface SlotsAsked {
  now: Date;
  /** How long it would be at work. */
  minutes: number;
  /** When it may start. */
  window: DayWindow;
  /** On which days: a field of a cron expression. */
  every: string;
  /** What will be at work is looked at for so many days. */
  days: number;
  count: number;
  /** Beside the tasks of this pool only. */
  pool?: string | undefined;
  timeZone: string;
  /** By what a worker is taken for dead. Milliseconds. */
  deadMs: number;
}

export interface QuietSlots extends Pick<Forecast, 'unmeasured'> {
  /** The best first. */
  slots: (Slot & { time: string; expression: string })[];
}

/** The times of day at which something could run and meet least that is at work. Throws what `readForecast` throws. */
export async function quietSlots(db: Database, asked: SlotsAsked): Promise<QuietSlots> {
  const { now: from, minutes, days, count, pool, deadMs } = asked;
  const last = nearestInstant(from.getTime() + days * DAY);
  const to = nearestInstant(last.getTime() + minutes * MINUTE);
  const { load, unmeasured } = await readForecast(db, { deadMs, from, to, pieces: [from], pool });
  const candidates = candidatesOf(asked, { from, to: last });
  const found = quietestSlots(load, { candidates, lengthMs: minutes * MINUTE, count });
  const slots = found.map((slot) => ({
    ...slot,
    time: timeOfDay(slot.minute),
    expression: expressionOf(slot.minute, asked),
  }));
  return { slots, unmeasured };
}

function candidatesOf(asked: SlotsAsked, span: { from: Date; to: Date }): SlotCandidate[] {
  const { window, timeZone } = asked;
  const length = ((window.to - window.from + DAY_MINUTES) % DAY_MINUTES) + 1;
  return Array.from({ length }, (_, index) => {
    const minute = (window.from + index) % DAY_MINUTES;
    const schedule = parseSchedule({ kind: 'cron', expression: expressionOf(minute, asked), timeZone });
    return { minute, at: firesBetween(schedule, span.from, span.to).map((at) => at.getTime()) };
  });
}

function expressionOf(minute: number, { every }: Pick<SlotsAsked, 'every'>): string {
  return `${minute % 60} ${Math.floor(minute / 60)} * * ${every}`;
}
