import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../parse.ts';
import type { CronSpec, ScheduleSpec } from '../spec.ts';
import { lintSchedule } from './lint.ts';

const NOW = new Date('2026-01-01T00:00:00Z');

const codes = (spec: ScheduleSpec): string[] => lintSchedule(parseSchedule(spec), NOW).map(({ code }) => code);
const cron = (expression: string, choices: Partial<CronSpec> = {}): CronSpec => ({
  kind: 'cron',
  expression,
  timeZone: 'UTC',
  ...choices,
});

describe('what a careful colleague would ask', () => {
  it.each([
    ['0 9 1-7 * 1', ['not_the_nth_weekday']],
    ['0 9 8-14 * TUE', ['not_the_nth_weekday']],
    ['0 9 15 * 1', ['either_day_field']],
    ['0 9 1-7 * 1,2', ['either_day_field']],
    ['*/7 * * * *', ['uneven_step']],
    ['3/7 * * * *', ['uneven_step']],
    ['0 */5 * * *', ['uneven_step']],
    ['0 0 */2 * *', ['uneven_step']],
    ['*/60 * * * *', ['step_too_large']],
    ['0 0 31 * *', ['short_months']],
    ['0 0 29 2 *', ['short_months']],
  ])('%s: %s', (expression, expected) => {
    expect(codes(cron(expression))).toEqual(expected);
  });

  it.each([
    '*/5 * * * *',
    '0 9 * * 1',
    '0 9 * * 1#1',
    '10-30/7 * * * *',
    '0 0 L * *',
    '0 0 31 1,3 *',
    '0 */6 * * *',
    '2/15 * * * *',
  ])('%s: nothing', (expression) => {
    expect(codes(cron(expression))).toEqual([]);
  });

  it.each<[string, Partial<CronSpec>, string[]]>([
    ['0 9 * * +1', {}, ['needless_plus']],
    ['0 9 1-7 * +*', {}, ['needless_plus']],
    ['0 9 1-7 * +1', {}, []],
    ['0 9 * * *', { dayOffset: -1 }, ['offset_of_every_day']],
    ['0 9 * * *', { workingDayOffset: -1 }, ['offset_of_every_day']],
    ['0 9 L * *', { dayOffset: -1 }, []],
    ['* 30 2 * * *', {}, ['every_second']],
    ['*/5 30 2 * * *', {}, []],
    ['* * 2 * * *', {}, []],
    ['0 0 9 * * * 2020', {}, ['never_again']],
  ])('%s %o: %s', (expression, choices, expected) => {
    expect(codes(cron(expression, choices))).toEqual(expected);
  });

  it('names the first Monday for those who wrote 1-7 * 1', () => {
    expect(lintSchedule(parseSchedule(cron('0 9 1-7 * 1')), NOW)).toEqual([
      {
        code: 'not_the_nth_weekday',
        message: 'this is not the first Monday of the month: it is each of the days 1 to 7, and each Monday as well',
        fix: 'day of week 1#1, day of month *',
      },
    ]);
  });

  it('has nothing to say about two day fields that are joined by "and"', () => {
    expect(codes(cron('0 9 1-7 * 1', { dayMatch: 'and' }))).toEqual([]);
  });

  it('tells of the next changes of the clock that hit the schedule, and what is done', () => {
    const messages = (expression: string): string[] =>
      lintSchedule(parseSchedule(cron(expression, { timeZone: 'America/New_York' })), NOW).map(
        ({ message }) => message,
      );
    expect(messages('30 2 * * *')).toEqual([
      '2026-03-08: the local time 02:30 does not exist in America/New_York; it fires at the first instant after the gap',
    ]);
    expect(messages('*/30 1 * * *')).toEqual([
      '2026-11-01: the local time 01:00 comes twice in America/New_York; it fires both times',
    ]);
    expect(messages('0 4 * * *')).toEqual([]);
    expect(messages('30 2 * * 1')).toEqual([]);
    expect(messages('*/30 * * * *')).toEqual([]);
  });

  it('tells of the changes of the clock that hit a recurrence rule', () => {
    const rule = (text: string, dtStart = '2026-01-05T02:30:00', timeZone = 'Europe/Berlin') =>
      lintSchedule(parseSchedule({ kind: 'rrule', rule: text, dtStart, timeZone }), new Date('2026-01-01T00:00:00Z'));
    expect(rule('FREQ=DAILY').map(({ message, fix }) => [message, fix])).toEqual([
      [
        '2026-03-29: the local time 02:30 does not exist in Europe/Berlin; it fires later, by the length of the gap',
        undefined,
      ],
      ['2026-10-25: the local time 02:30 comes twice in Europe/Berlin; it fires the first time', undefined],
    ]);
    expect(rule('FREQ=DAILY;UNTIL=20260401T000000Z').map(({ code }) => code)).toEqual(['clock_gap']);
    expect(rule('FREQ=WEEKLY;BYDAY=MO')).toEqual([]);
    expect(rule('FREQ=HOURLY')).toEqual([]);
    expect(rule('FREQ=DAILY', '2026-01-05T02:30:00', 'UTC')).toEqual([]);
  });

  it('says when nothing will fire any more, and when jitter is longer than the interval', () => {
    expect(codes({ kind: 'once', at: '2020-01-01T00:00:00Z' })).toEqual(['never_again']);
    expect(codes(cron('0 0 0 1 1 ? 2020', { dialect: 'quartz' }))).toEqual(['never_again']);
    expect(codes({ kind: 'manual' })).toEqual([]);
    expect(codes({ kind: 'every', everyMs: 5000, jitterMs: 9000 })).toEqual(['jitter_cut']);
  });
});
