import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../parse.ts';
import type { CronSpec } from '../spec.ts';
import { describeSchedule } from './describe.ts';

const words = (expression: string, choices: Partial<CronSpec> = {}): string =>
  describeSchedule(parseSchedule({ kind: 'cron', expression, timeZone: 'UTC', ...choices }));

describe('a cron schedule in words', () => {
  it.each([
    ['* * * * *', 'every minute'],
    ['*/5 * * * *', 'every 5 minutes'],
    ['2/15 * * * *', 'every 15 minutes starting at minute 2'],
    ['@hourly', 'every hour'],
    ['15 * * * *', 'every hour at minute 15'],
    ['30 */2 * * *', 'every 2 hours at minute 30'],
    ['0 1-23/2 * * *', 'every 2 hours, from 01:00 each day'],
    ['30 2 * * *', 'at 02:30 every day'],
    ['30 0 9 * * *', 'at 09:00:30 every day'],
    ['*/10 * * * * *', 'every 10 seconds'],
    ['*/5 9-17 * * MON-FRI', 'every 5 minutes from 09:00 to 17:55 on Monday to Friday'],
    ['0 0 * * FRI-MON', 'at 00:00 on Friday to Monday'],
    ['0 0 1 1-3,12 *', 'at 00:00 on day 1 of the month in January to March and December'],
    ['0 0 L * *', 'at 00:00 on the last day of the month'],
    ['0 0 LW * *', 'at 00:00 on the last working day (Monday to Friday) of the month'],
    ['0 0 15W * *', 'at 00:00 on the working day (Monday to Friday) nearest to day 15 of the month'],
    ['0 0 * * 5L', 'at 00:00 on the last Friday of the month'],
    ['0 9 * * 1#1', 'at 09:00 on the first Monday of the month'],
  ])('%s: %s', (expression, expected) => {
    expect(words(expression)).toBe(expected);
  });

  it.each<[string, Partial<CronSpec>, string]>([
    ['0 9 * * SAT#1', { dayOffset: -1 }, 'at 09:00 on the day before the first Saturday of the month'],
    ['0 9 1 * *', { dayOffset: 2 }, 'at 09:00 on the second day after day 1 of the month'],
    [
      '0 18 LW * *',
      { workingDayOffset: -2 },
      'at 18:00 on the second working day (Monday to Friday) before the last working day (Monday to Friday) of the month',
    ],
    [
      '0 9 1-7 * +MON',
      { dayOffset: -3 },
      'at 09:00 on the third day before each day that is on days 1 to 7 of the month if that is Monday',
    ],
    [
      '0 9 13 * 5',
      { dayOffset: 1 },
      'at 09:00 on the day after each day that is on day 13 of the month, and also on Friday',
    ],
    ['0 9 * 5 *', { dayOffset: -1 }, 'at 09:00 on the day before each day that is in May'],
  ])('%s moved: %o', (expression, offset, expected) => {
    expect(words(expression, offset)).toBe(expected);
  });

  it.each([
    ['@minutely', 'every minute'],
    ['0 0 9 * * 1 2027', 'at 09:00 on Monday in 2027'],
    ['0 9 1-7 * +MON', 'at 09:00 on days 1 to 7 of the month if that is Monday'],
    ['0 9 * * +MON', 'at 09:00 on Monday'],
  ])('%s: %s', (expression, expected) => {
    expect(words(expression)).toBe(expected);
  });

  it('says each value of a step that does not divide', () => {
    expect(words('*/7 * * * *')).toBe('at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour');
    expect(words('0 */5 * * *')).toBe('at 00:00, 05:00, 10:00, 15:00 and 20:00 every day');
  });

  it('tells "or" from "and" where both day fields are set', () => {
    expect(words('0 0 1-2 * 1-5')).toBe('at 00:00 on days 1 and 2 of the month, and also on Monday to Friday');
    expect(words('0 0 13 * 5', { dayMatch: 'and' })).toBe('at 00:00 on day 13 of the month if that is Friday');
    expect(words('0 0 */10 * 1', { dialect: 'vixie' })).toBe(
      'at 00:00 on days 1, 11, 21 and 31 of the month if that is Monday',
    );
  });
});

describe('other schedules in words', () => {
  it('every, once, manual', () => {
    expect(describeSchedule(parseSchedule({ kind: 'every', everyMs: 90_000 }))).toBe('every 1 minute and 30 seconds');
    expect(describeSchedule(parseSchedule({ kind: 'every', everyMs: 60_000 }))).toBe('every minute');
    expect(describeSchedule(parseSchedule({ kind: 'once', at: '2026-01-01T00:00:00Z' }))).toBe(
      'once, at 2026-01-01T00:00:00.000Z',
    );
    expect(describeSchedule(parseSchedule({ kind: 'manual' }))).toBe('only when triggered');
  });
});
