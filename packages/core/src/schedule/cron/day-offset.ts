import { weekday } from '../civil.ts';

/** Where the matching days go: a whole number of days on, or of working days (Monday to Friday). */
export interface DayOffset {
  days: number;
  working: boolean;
}

export const NO_OFFSET: DayOffset = { days: 0, working: false };

/** The day a matching day becomes. A later day never becomes an earlier one, so the order of days is kept. */
export function movedDay(day: number, { days, working }: DayOffset): number {
  if (!working) return day + days;
  const step = Math.sign(days);
  let at = day;
  for (let left = Math.abs(days); left > 0; ) {
    at += step;
    if (isWorking(at)) left--;
  }
  return at;
}

/** The first day that becomes the given one, or a later one. */
export function firstMovedTo(day: number, offset: DayOffset): number {
  if (!offset.working) return day - offset.days;
  // No day moves farther than its working days, and the weekends between them.
  const reach = Math.ceil(Math.abs(offset.days) / 5) * 7 + 2;
  let at = offset.days < 0 ? day : day - reach;
  while (movedDay(at, offset) < day) at++;
  return at;
}

function isWorking(day: number): boolean {
  const dayOfWeek = weekday(day);
  return dayOfWeek >= 1 && dayOfWeek <= 5;
}
