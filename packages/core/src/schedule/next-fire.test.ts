import { describe, expect, it } from 'vitest';
import { EscapementError } from '../errors.ts';
import { admitInstant } from '../instant.ts';
import { jitterOf } from './jitter.ts';
import { firesBetween, nextFire } from './next-fire.ts';
import { parseSchedule } from './parse.ts';
import type { CronSpec, ScheduleSpec } from './spec.ts';

const next = (spec: ScheduleSpec, after: string): string | undefined =>
  nextFire(parseSchedule(spec), new Date(after))?.toISOString().replace('.000Z', 'Z');

type Choices = Partial<Omit<CronSpec, 'kind'>>;

/** The first fires of an expression after an instant. */
function fires(
  expression: string,
  timeZone: string,
  after: string,
  choices: Choices & { count?: number } = {},
): string[] {
  const { count = 2, ...rest } = choices;
  const schedule = parseSchedule({ kind: 'cron', expression, timeZone, ...rest });
  return firesBetween(schedule, new Date(after), new Date('2200-01-01'), count).map((date) =>
    date.toISOString().replace('.000Z', 'Z'),
  );
}

describe('a local time that does not exist', () => {
  it('fires once, at the first instant after the gap', () => {
    expect(fires('30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z')).toEqual([
      '2026-03-08T07:00:00Z',
      '2026-03-09T06:30:00Z',
    ]);
    expect(fires('5,10,50 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z')).toEqual([
      '2026-03-08T07:00:00Z',
      '2026-03-09T06:05:00Z',
    ]);
  });

  it('is not fired twice where the end of the gap is a fire of its own', () => {
    expect(fires('0 2,3 * * *', 'America/New_York', '2026-03-07T12:00:00Z')).toEqual([
      '2026-03-08T07:00:00Z',
      '2026-03-09T06:00:00Z',
    ]);
  });

  it('may fire later by the length of the gap, or not at all', () => {
    const night = '2026-03-07T12:00:00Z';
    expect(fires('30 2 * * *', 'America/New_York', night, { dst: { gap: 'shift' }, count: 1 })).toEqual([
      '2026-03-08T07:30:00Z',
    ]);
    expect(fires('30 2 * * *', 'America/New_York', night, { dst: { gap: 'skip' }, count: 1 })).toEqual([
      '2026-03-09T06:30:00Z',
    ]);
  });

  it('is left out where the schedule follows elapsed time, unless asked for', () => {
    expect(fires('*/30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', { count: 1 })).toEqual([
      '2026-03-09T06:00:00Z',
    ]);
    expect(fires('*/30 * * * *', 'America/New_York', '2026-03-08T06:30:00Z')).toEqual([
      '2026-03-08T07:00:00Z',
      '2026-03-08T07:30:00Z',
    ]);
    expect(fires('*/30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', { dst: { gap: 'next-valid' } })).toEqual([
      '2026-03-08T07:00:00Z',
      '2026-03-09T06:00:00Z',
    ]);
  });

  it.each([
    ['half an hour, Lord Howe', '15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T14:00:00Z', '2026-10-03T15:30:00Z'],
    ['two hours, Troll', '30 1 * * *', 'Antarctica/Troll', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00Z'],
    ['at midnight, Santiago', '0 0 * * *', 'America/Santiago', '2026-09-05T12:00:00Z', '2026-09-06T04:00:00Z'],
    ['at midnight, Cairo', '0 0 * * *', 'Africa/Cairo', '2026-04-23T12:00:00Z', '2026-04-23T22:00:00Z'],
    ['after Ramadan, Casablanca', '30 2 * * *', 'Africa/Casablanca', '2026-03-21T12:00:00Z', '2026-03-22T02:00:00Z'],
    ['a whole day, Apia 2011', '0 12 30 12 *', 'Pacific/Apia', '2011-12-01T00:00:00Z', '2011-12-30T10:00:00Z'],
  ])('a gap of %s', (_, expression, zone, ...[after, expected]) => {
    expect(fires(expression, zone, after, { count: 1 })).toEqual([expected]);
  });
});

describe('a local time that exists twice', () => {
  const night = '2026-11-01T04:00:00Z';

  it('fires once, the first time', () => {
    expect(fires('30 1 * * *', 'America/New_York', night)).toEqual(['2026-11-01T05:30:00Z', '2026-11-02T06:30:00Z']);
    expect(fires('0 1 * * *', 'Antarctica/Troll', '2026-10-24T12:00:00Z')).toEqual([
      '2026-10-24T23:00:00Z',
      '2026-10-26T01:00:00Z',
    ]);
  });

  it('is not in the past when asked in its second pass', () => {
    expect(fires('30 1 * * *', 'America/New_York', '2026-11-01T06:00:00Z', { count: 1 })).toEqual([
      '2026-11-02T06:30:00Z',
    ]);
  });

  it('may fire the second time, or both', () => {
    expect(fires('30 1 * * *', 'America/New_York', night, { dst: { overlap: 'second' }, count: 1 })).toEqual([
      '2026-11-01T06:30:00Z',
    ]);
    expect(fires('30 1 * * *', 'America/New_York', night, { dst: { overlap: 'both' } })).toEqual([
      '2026-11-01T05:30:00Z',
      '2026-11-01T06:30:00Z',
    ]);
  });

  it('fires both times where the schedule follows elapsed time', () => {
    expect(fires('30 * * * *', 'America/New_York', night, { count: 3 })).toEqual([
      '2026-11-01T04:30:00Z',
      '2026-11-01T05:30:00Z',
      '2026-11-01T06:30:00Z',
    ]);
    expect(fires('*/30 1 * * *', 'America/New_York', '2026-11-01T05:30:00Z')).toEqual([
      '2026-11-01T06:00:00Z',
      '2026-11-01T06:30:00Z',
    ]);
  });
});

describe('zones with odd clocks', () => {
  it('an offset with seconds: Monrovia before 1972', () => {
    expect(fires('0 12 * * *', 'Africa/Monrovia', '1971-12-31T00:00:00Z', { count: 1 })).toEqual([
      '1971-12-31T12:44:30Z',
    ]);
  });

  it('far after the years of the sweep', () => {
    expect(fires('0 12 1 7 *', 'Europe/Berlin', '2399-08-01T00:00:00Z', { count: 1 })).toEqual([]);
    expect(next({ kind: 'cron', expression: '0 12 1 7 *', timeZone: 'Europe/Berlin' }, '2399-08-01T00:00:00Z')).toBe(
      '2400-07-01T10:00:00Z',
    );
  });
});

describe('the range of instants', () => {
  const first = '1970-01-01T00:00:00.000Z';
  const last = '9999-12-31T23:59:59.999Z';
  const SPECS: ScheduleSpec[] = [
    { kind: 'cron', expression: '* * * * *', timeZone: 'Pacific/Kiritimati' },
    { kind: 'cron', expression: '59 23 31 12 *', timeZone: 'Pacific/Pago_Pago' },
    { kind: 'every', everyMs: 7_001, phaseMs: 6_999 },
    { kind: 'every', everyMs: 366 * 86_400_000, anchor: last },
    { kind: 'fixed-delay', delayMs: 1_000 },
    { kind: 'rrule', rule: 'FREQ=DAILY', dtStart: '1970-01-01T00:00:00', timeZone: 'Pacific/Kiritimati' },
    {
      ...{ kind: 'rrule', rule: 'FREQ=YEARLY', dtStart: '9999-12-31T23:59:59', timeZone: 'Pacific/Pago_Pago' },
      rDates: ['1970-01-01T00:00:00', '9999-12-31T23:59:59'],
    } as const,
    { kind: 'once', at: first },
    { kind: 'once', at: last },
  ];

  it.each(SPECS)('holds all fires of %j, with their jitter', (spec) => {
    const schedule = parseSchedule({ ...spec, jitterMs: 86_400_000 });
    for (const ms of [-8.64e15, -62_167_219_200_000, -1, 253_402_300_799_000, 253_402_300_799_999, 8.64e15]) {
      const fire = nextFire(schedule, new Date(ms));
      if (fire === null) continue;
      expect(admitInstant(fire, 'the fire')).toBe(fire);
      admitInstant(new Date(fire.getTime() + jitterOf(schedule, fire, 'a')), 'its jitter');
    }
    expect(nextFire(schedule, new Date(last))).toBeNull();
  });

  it.each([
    { kind: 'once', at: '1969-12-31T23:59:59Z' },
    { kind: 'once', at: '0000-01-01T00:00:00Z' },
    { kind: 'once', at: '9999-12-31T23:59:59-01:00' },
    { kind: 'every', everyMs: 1000, anchor: '1969-12-31T23:59:59Z' },
    { kind: 'manual', startAt: '0001-01-01T00:00:00Z' },
    { kind: 'manual', endAt: '1970-01-01T00:00:00+14:00' },
    { kind: 'rrule', rule: 'FREQ=DAILY', dtStart: '0000-01-01T00:00:00', timeZone: 'UTC' },
    {
      kind: 'rrule',
      rule: 'FREQ=DAILY',
      dtStart: '2026-01-01T00:00:00',
      timeZone: 'UTC',
      rDates: ['1969-12-31T23:59'],
    },
    {
      kind: 'rrule',
      rule: 'FREQ=DAILY',
      dtStart: '2026-01-01T00:00:00',
      timeZone: 'UTC',
      exDates: ['0999-12-31T23:59'],
    },
  ] as ScheduleSpec[])('%j is refused', (spec) => {
    expect(() => parseSchedule(spec)).toThrow(expect.objectContaining({ code: 'schedule_invalid' }));
  });
});

describe('the two day fields', () => {
  it('are joined by or in the unix dialect, also where one starts with *', () => {
    expect(fires('0 0 15 * 1', 'UTC', '2026-06-08T12:00:00Z')).toEqual([
      '2026-06-15T00:00:00Z',
      '2026-06-22T00:00:00Z',
    ]);
    expect(fires('0 0 */2 * 1', 'UTC', '2026-06-07T12:00:00Z')).toEqual([
      '2026-06-08T00:00:00Z',
      '2026-06-09T00:00:00Z',
    ]);
  });

  it('are joined by and in the vixie dialect where one starts with *', () => {
    expect(fires('0 0 */2 * 1', 'UTC', '2026-06-07T12:00:00Z', { dialect: 'vixie' })).toEqual([
      '2026-06-15T00:00:00Z',
      '2026-06-29T00:00:00Z',
    ]);
    expect(fires('0 0 1,15 * */2', 'UTC', '2026-06-02T12:00:00Z', { dialect: 'vixie' })).toEqual([
      '2026-08-01T00:00:00Z',
      '2026-08-15T00:00:00Z',
    ]);
  });

  it('are joined by and where the schedule says so', () => {
    expect(fires('0 0 13 * 5', 'UTC', '2026-01-01T00:00:00Z', { dayMatch: 'and' })).toEqual([
      '2026-02-13T00:00:00Z',
      '2026-03-13T00:00:00Z',
    ]);
  });
});

describe('schedules that are not cron', () => {
  it('every: a grid from the epoch, shifted by its phase', () => {
    expect(next({ kind: 'every', everyMs: 300_000 }, '2026-01-01T00:00:00Z')).toBe('2026-01-01T00:05:00Z');
    expect(next({ kind: 'every', everyMs: 300_000, phaseMs: 60_000 }, '2026-01-01T00:00:59.999Z')).toBe(
      '2026-01-01T00:01:00Z',
    );
    expect(next({ kind: 'every', everyMs: 7000 }, '1969-12-31T23:59:59Z')).toBe('1970-01-01T00:00:00Z');
  });

  it('every: from an anchor, and not before it', () => {
    const spec: ScheduleSpec = { kind: 'every', everyMs: 7 * 86_400_000, anchor: '2026-01-01T09:00:00Z' };
    expect(next(spec, '2025-01-01T00:00:00Z')).toBe('2026-01-01T09:00:00Z');
    expect(next(spec, '2026-01-01T09:00:00Z')).toBe('2026-01-08T09:00:00Z');
  });

  it('fixed delay: counted from the end of the last run, which is what is passed', () => {
    const spec: ScheduleSpec = { kind: 'fixed-delay', delayMs: 90_000 };
    expect(next(spec, '2026-01-01T00:00:00.500Z')).toBe('2026-01-01T00:01:30.500Z');
    expect(next({ ...spec, startAt: '2026-01-02T00:00:00Z' }, '2026-01-01T00:00:00Z')).toBe('2026-01-02T00:00:00Z');
    expect(next({ ...spec, endAt: '2026-01-01T00:01:00Z' }, '2026-01-01T00:00:00Z')).toBeUndefined();
  });

  it('once: at its instant, then never', () => {
    const spec: ScheduleSpec = { kind: 'once', at: '2026-05-01T12:00:00+02:00' };
    expect(next(spec, '2026-05-01T09:59:59Z')).toBe('2026-05-01T10:00:00Z');
    expect(next(spec, '2026-05-01T10:00:00Z')).toBeUndefined();
  });

  it('manual: never', () => {
    expect(next({ kind: 'manual' }, '2026-05-01T09:59:59Z')).toBeUndefined();
  });
});

describe('bounds', () => {
  const bounded: ScheduleSpec = {
    kind: 'every',
    everyMs: 60_000,
    startAt: '2026-01-01T00:00:00Z',
    endAt: '2026-01-01T00:02:00Z',
  };

  it('let both startAt and endAt themselves fire', () => {
    expect(next(bounded, '2020-01-01T00:00:00Z')).toBe('2026-01-01T00:00:00Z');
    expect(next(bounded, '2026-01-01T00:01:00Z')).toBe('2026-01-01T00:02:00Z');
    expect(next(bounded, '2026-01-01T00:02:00Z')).toBeUndefined();
  });

  it('of time itself: no fire after the last instant of a Date', () => {
    expect(
      nextFire(parseSchedule({ kind: 'cron', expression: '* * * * *', timeZone: 'UTC' }), new Date(8.64e15)),
    ).toBeNull();
  });

  it('an invalid Date is refused', () => {
    expect(() => nextFire(parseSchedule(bounded), new Date(Number.NaN))).toThrow(EscapementError);
  });
});
