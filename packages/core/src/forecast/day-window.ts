import { DAY, MINUTE } from '../clock.ts';
import { EscapementError } from '../errors.ts';
import { parseSchedule } from '../schedule/index.ts';

/** Minutes since midnight; the end may be before the start: then midnight is in it. */
export interface DayWindow {
  from: number;
  to: number;
}

export const DAY_MINUTES = DAY / MINUTE;
const WINDOW = /^([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-3]):([0-5]\d)$/;

/** Two times of day: `01:00-05:00`. Throws `bad_window`. */
export function readDayWindow(what: string): (text: string) => DayWindow {
  return (text) => {
    const [, ...parts] = WINDOW.exec(text) ?? [];
    const [fromHour, fromMinute, toHour, toMinute] = parts.map(Number);
    if (fromHour === undefined || fromMinute === undefined || toHour === undefined || toMinute === undefined)
      throw new EscapementError('bad_window', `${what} is "${text}"`, { fix: 'give two times of day, as 01:00-05:00' });
    return { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute };
  };
}

/** Days as the field of a cron expression: `day`, `mon-fri`. Throws `bad_days`, and what a wrong field throws. */
export function readDays(what: string): (text: string) => string {
  return (text) => {
    const field = text === 'day' ? '*' : text;
    if (/\s/.test(field))
      throw new EscapementError('bad_days', `${what} is "${text}"`, {
        fix: 'give day, mon-fri or sat,sun, without spaces',
      });
    parseSchedule({ kind: 'cron', expression: `0 0 * * ${field}`, timeZone: 'UTC' });
    return field;
  };
}

/** As `01:05`, of minutes since midnight. */
export function timeOfDay(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
