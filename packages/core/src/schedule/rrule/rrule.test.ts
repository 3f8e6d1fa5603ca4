import { describe, expect, it } from 'vitest';
import { ScheduleError } from '../error.ts';
import { firesBetween } from '../next-fire.ts';
import { parseSchedule } from '../parse.ts';
import type { RruleSpec } from '../spec.ts';

const base = { kind: 'rrule', dtStart: '2026-03-05T02:30:00', timeZone: 'America/New_York' } as const;

function fires(spec: Partial<RruleSpec> & { rule: string }, count = 3, from = '2020-01-01T00:00:00Z'): string[] {
  const found = firesBetween(parseSchedule({ ...base, ...spec }), new Date(from), new Date('2200-01-01'), count);
  return found.map((date) => date.toISOString().slice(0, 16));
}

function refusal(rule: string): ScheduleError {
  try {
    parseSchedule({ ...base, rule });
  } catch (error) {
    if (error instanceof ScheduleError) return error;
  }
  throw new Error(`${rule} was not refused`);
}

describe('a recurrence rule on the clock of a zone', () => {
  it('RFC 5545, 3.3.5: in a gap, the offset of before holds', () => {
    expect(fires({ rule: 'FREQ=DAILY', dtStart: '2026-03-07T02:30:00' })).toEqual([
      '2026-03-07T07:30',
      '2026-03-08T07:30',
      '2026-03-09T06:30',
    ]);
  });

  it('RFC 5545, 3.3.5: what comes twice is meant the first time, also hour by hour', () => {
    expect(fires({ rule: 'FREQ=HOURLY', dtStart: '2026-11-01T00:30:00' }, 4)).toEqual([
      '2026-11-01T04:30',
      '2026-11-01T05:30',
      '2026-11-01T07:30',
      '2026-11-01T08:30',
    ]);
  });

  it.each(['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'])('finds the first and the last %s of each year', (name) => {
    const dayOf = (year: number, fromEnd: boolean) => {
      const days = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(year, 0, fromEnd ? 0 - day : 1 + day)));
      const found = days.find((day) => ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'][day.getUTCDay()] === name);
      return found?.toISOString().slice(0, 10);
    };
    const dates = (rule: string) =>
      fires({ rule, dtStart: '2020-01-01T12:00:00', timeZone: 'UTC' }, 12).map((at) => at.slice(0, 10));
    const years = Array.from({ length: 12 }, (_, index) => 2020 + index);
    expect(dates(`FREQ=YEARLY;BYDAY=1${name}`)).toEqual(years.map((year) => dayOf(year, false)));
    expect(dates(`FREQ=YEARLY;BYDAY=-1${name}`)).toEqual(years.map((year) => dayOf(year + 1, true)));
  });

  it('ends at UNTIL: an instant in UTC, else a local time, a date meaning the whole day', () => {
    expect(fires({ rule: 'FREQ=DAILY;UNTIL=20260306T073000Z' }, 9)).toHaveLength(2);
    expect(fires({ rule: 'FREQ=DAILY;UNTIL=20260306T072959Z' }, 9)).toHaveLength(1);
    expect(fires({ rule: 'FREQ=DAILY;UNTIL=20260306T023000' }, 9)).toHaveLength(2);
    expect(fires({ rule: 'FREQ=DAILY;UNTIL=20260306' }, 9)).toHaveLength(2);
    const firstMonday = {
      rule: 'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1;UNTIL=20260504T023000',
      dtStart: '2026-04-06T02:30:00',
    };
    expect(fires(firstMonday, 9)).toEqual(['2026-04-06T06:30', '2026-05-04T06:30']);
  });

  it('leaves out EXDATE, which still counts, and adds RDATE, also after the end', () => {
    const spec = {
      rule: 'FREQ=DAILY;COUNT=3',
      exDates: ['2026-03-06T02:30:00'],
      rDates: ['2026-05-01T12:00:00', '2026-03-05T04:00:00'],
    };
    expect(fires(spec, 9)).toEqual(['2026-03-05T07:30', '2026-03-05T09:00', '2026-03-07T07:30', '2026-05-01T16:00']);
  });

  it('has each RDATE, also one a second after another', () => {
    const rDates = ['2026-05-01T12:00:00', '2026-05-01T12:00:01', '2026-05-01T12:00:02'];
    const times = (from: string) => fires({ rule: 'FREQ=DAILY;COUNT=1', rDates }, 9, from).length;
    expect([times('2026-05-01T15:59:59Z'), times('2026-05-01T16:00:00Z'), times('2026-05-01T16:00:01Z')]).toEqual([
      3, 2, 1,
    ]);
  });

  it('is asked from any instant, not only from its start', () => {
    expect(
      fires({ rule: 'FREQ=SECONDLY;INTERVAL=7', dtStart: '1990-01-01T00:00:00' }, 2, '2026-01-01T00:00:00Z'),
    ).toHaveLength(2);
    expect(
      fires({ rule: 'FREQ=YEARLY;INTERVAL=4', dtStart: '1996-02-29T12:00:00' }, 2, '2025-01-01T00:00:00Z'),
    ).toEqual(['2028-02-29T17:00', '2032-02-29T17:00']);
  });
});

describe('a recurrence rule that cannot be', () => {
  it.each([
    ['FREQ=HOURLEY', 'rrule_value', 'FREQ=HOURLEY', 'did you mean HOURLY?'],
    ['FREQ=DAILY;BYMOTH=1', 'rrule_part', 'BYMOTH=1', 'did you mean BYMONTH?'],
    ['FREQ=DAILY;BYMONTH=13', 'rrule_value', 'BYMONTH=13', '1 to 12'],
    ['FREQ=DAILY;BYMONTHDAY=0', 'rrule_value', 'BYMONTHDAY=0', '1 to 31 or -31 to -1'],
    ['FREQ=DAILY;BYMONTHDAY=a', 'rrule_value', 'BYMONTHDAY=a', '1 to 31'],
    ['FREQ=DAILY;INTERVAL=0', 'rrule_value', 'INTERVAL=0', '1 to'],
    ['FREQ=DAILY;COUNT=20000', 'rrule_value', 'COUNT=20000', 'for more, say UNTIL'],
    ['FREQ=DAILY;COUNT=3;UNTIL=20270101', 'rrule_value', 'COUNT=3;UNTIL=20270101', 'either COUNT or UNTIL'],
    ['FREQ=DAILY;FREQ=WEEKLY', 'rrule_value', 'FREQ=WEEKLY', 'FREQ only once'],
    ['FREQ=DAILY;UNTIL=tomorrow', 'rrule_value', 'UNTIL=TOMORROW', '20261231'],
    ['FREQ=WEEKLY;BYDAY=1MO', 'rrule_value', 'BYDAY with FREQ=WEEKLY', 'the nth weekday of a month or a year only'],
    ['FREQ=WEEKLY;BYDAY=MONDAY', 'rrule_value', 'BYDAY=MONDAY', 'SU, MO, TU'],
    ['BYDAY=MO', 'rrule_value', 'BYDAY=MO', 'FREQ=YEARLY'],
    [
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
      'rrule_never',
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
      'a rule with at least one date',
    ],
    [
      'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6',
      'rrule_never',
      'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6',
      'a rule with at least one date',
    ],
    [
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;BYSETPOS=1',
      'rrule_never',
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;BYSETPOS=1',
      'a rule with at least one date',
    ],
    ['FREQ=DAILY;', 'rrule_part', '', 'FREQ'],
  ])('%s: %s', (rule, code, part, allowed) => {
    const error = refusal(rule);
    expect(error.code).toBe(code);
    expect(error.part.toUpperCase()).toBe(part.toUpperCase());
    expect(error.allowed).toContain(allowed);
  });

  it('a start that is no date', () => {
    expect(() => parseSchedule({ ...base, rule: 'FREQ=DAILY', dtStart: '2026-04-31T00:00:00' })).toThrow(
      expect.objectContaining({ code: 'local_time' }),
    );
  });
});
