import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextFire } from '../next-fire.ts';
import { parseSchedule } from '../parse.ts';
import { parseCalendar } from './calendar.ts';
import { checkShift, occurrencesOf } from './occurrences.ts';
import type { CalendarSpec } from './spec.ts';

const weekends: CalendarSpec = { timeZone: 'Europe/Berlin', entries: [{ name: 'weekend', weekdays: ['SAT', 'SUN'] }] };
const holidays: CalendarSpec = {
  timeZone: 'Europe/Berlin',
  entries: [
    { name: 'Christmas', dates: ['12-25', '12-26'] },
    { name: 'Good Friday', dates: ['2026-04-03'] },
    { from: '12-31', to: '01-01' },
    { from: '2026-08-01', to: '2026-08-14', name: 'works holiday' },
  ],
};
const nights: CalendarSpec = {
  timeZone: 'UTC',
  entries: [{ hours: ['22-6', '12:30-13'] }, { weekdays: ['MON'], hours: ['6-8'] }],
};

const both = [parseCalendar('weekends', weekends), parseCalendar('holidays', holidays)];
const reason = (spec: CalendarSpec, at: string) => parseCalendar('c', spec).reasonAt(new Date(at));

function fires(expression: string, shift: 'next' | 'previous', after: string, count: number): string[] {
  const { next } = occurrencesOf(parseSchedule({ kind: 'cron', expression, timeZone: 'Europe/Berlin' }), both, {
    shift,
  });
  const found: string[] = [];
  let at = next(new Date(after));
  for (; at && found.length < count; at = next(at)) found.push(at.toISOString().replace(':00.000Z', 'Z'));
  return found;
}

describe('a calendar', () => {
  it('holds weekdays, dates, dates of every year and ranges on the days of its zone', () => {
    expect(reason(weekends, '2026-01-02T22:59:59Z')).toBeNull();
    expect(reason(weekends, '2026-01-02T23:00:00Z')).toBe('excluded by calendar c: weekend');
    expect(reason(holidays, '2031-12-25T12:00:00Z')).toBe('excluded by calendar c: Christmas');
    expect(reason(holidays, '2026-04-03T12:00:00Z')).toBe('excluded by calendar c: Good Friday');
    expect(reason(holidays, '2027-04-03T12:00:00Z')).toBeNull();
    expect(reason(holidays, '2027-01-01T12:00:00Z')).toBe('excluded by calendar c: 12-31 to 01-01');
    expect(reason(holidays, '2026-08-14T21:00:00Z')).toBe('excluded by calendar c: works holiday');
    expect(reason(holidays, '2026-08-14T22:00:00Z')).toBeNull();
  });

  it('holds hours, over midnight too, and only where all of an entry holds', () => {
    for (const at of ['22:00:00', '23:59:59', '05:59:59', '12:30:00'])
      expect(reason(nights, `2026-01-06T${at}Z`)).toMatch(/hours 22-6/);
    for (const at of ['21:59:59', '06:00:00', '13:00:00']) expect(reason(nights, `2026-01-06T${at}Z`)).toBeNull();
    expect(reason(nights, '2026-01-05T07:00:00Z')).toBe('excluded by calendar c: MON; hours 6-8');
  });

  it.each<[string, unknown, RegExp]>([
    ['no entries', { timeZone: 'UTC', entries: [] }, /entries/],
    ['an entry without a condition', { timeZone: 'UTC', entries: [{ name: 'x' }] }, /at least one of dates/],
    ['an unknown key', { timeZone: 'UTC', entries: [{ weekday: ['MON'] }] }, /weekday/],
    ['a date that does not exist', { timeZone: 'UTC', entries: [{ dates: ['2026-02-29'] }] }, /2026-02-29/],
    ['a range backwards', { timeZone: 'UTC', entries: [{ from: '2026-02-03', to: '2026-02-01' }] }, /2026-02-03 to/],
    ['half a range', { timeZone: 'UTC', entries: [{ from: '2026-02-03' }] }, /belong together/],
    ['hour 25', { timeZone: 'UTC', entries: [{ hours: ['9-25'] }] }, /9-25/],
    ['an unknown zone', { timeZone: 'Mars/Base', entries: [{ dates: ['12-25'] }] }, /Mars/],
  ])('refuses %s', (_, spec, message) => {
    expect(() => parseCalendar('c', spec as CalendarSpec)).toThrow(message);
  });
});

describe('shifted occurrences', () => {
  it('the last business day of the month', () => {
    expect(fires('0 18 L * *', 'previous', '2026-01-01T00:00:00Z', 5)).toEqual([
      '2026-01-30T17:00Z',
      '2026-02-27T17:00Z',
      '2026-03-31T16:00Z',
      '2026-04-30T16:00Z',
      '2026-05-29T16:00Z',
    ]);
    expect(fires('0 18 L * *', 'previous', '2026-12-01T00:00:00Z', 1)).toEqual(['2026-12-30T17:00Z']);
  });

  it('the first business day of the month', () => {
    expect(fires('0 9 1 * *', 'next', '2025-12-31T23:00:00Z', 3)).toEqual([
      '2026-01-02T08:00Z',
      '2026-02-02T08:00Z',
      '2026-03-02T08:00Z',
    ]);
  });

  it('that meet are one', () => {
    expect(fires('0 9 * * *', 'next', '2026-04-02T00:00:00Z', 3)).toEqual([
      '2026-04-02T07:00Z',
      '2026-04-06T07:00Z',
      '2026-04-07T07:00Z',
    ]);
  });

  it('that find no day within a month stay, and are excluded', () => {
    const always = parseCalendar('always', { timeZone: 'UTC', entries: [{ hours: ['0-24'], name: 'always' }] });
    const { next, excluded } = occurrencesOf(
      parseSchedule({ kind: 'cron', expression: '0 9 * * *', timeZone: 'UTC' }),
      [always],
      { shift: 'next' },
    );
    const at = next(new Date('2026-01-01T00:00:00Z'));
    expect(at).toEqual(new Date('2026-01-01T09:00:00Z'));
    expect(excluded(at ?? new Date(0))).toBe('excluded by calendar always: always');
  });

  it('are found in order, over changes of the clock too, wherever one asks from (property)', () => {
    const expression = fc.constantFrom('0 9 * * *', '30 2 * * *', '0 18 L * *', '0 8,20 1,15 * *', '15 */6 * * 5-6');
    const days = fc.uniqueArray(fc.integer({ min: 1, max: 28 }), { maxLength: 12 });
    fc.assert(
      fc.property(
        expression,
        days,
        fc.constantFrom('next', 'previous'),
        fc.integer({ min: 0, max: 700 }),
        (cron, off, shift, start) => {
          const schedule = parseSchedule({ kind: 'cron', expression: cron, timeZone: 'Europe/Berlin' });
          const dates = off.map((day) => `2026-03-${String(day).padStart(2, '0')}`);
          const calendars = [
            ...both,
            parseCalendar('off', { timeZone: 'Europe/Berlin', entries: [{ dates: ['2020-01-01', ...dates] }] }),
          ];
          const { next, excluded } = occurrencesOf(schedule, calendars, { shift: shift as 'next' | 'previous' });
          const from = new Date(Date.UTC(2026, 0, 1) + start * 3_600_000);
          let at = next(from);
          let before = from;
          for (let count = 0; at && count < 20; count++) {
            expect(at > before).toBe(true);
            expect(excluded(at)).toBeNull();
            // Asked from anywhere between two occurrences, the next one is the same.
            expect(next(new Date(at.getTime() - 1))).toEqual(at);
            before = at;
            at = next(at);
          }
          // What is not excluded is not moved.
          const fire = nextFire(schedule, from);
          if (fire && excluded(fire) === null) expect(next(new Date(fire.getTime() - 1))).toEqual(fire);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are refused where there is no day to move, or too many occurrences a day', () => {
    const check = (spec: Parameters<typeof parseSchedule>[0]) => () =>
      checkShift(parseSchedule(spec), new Date('2026-01-01'));
    expect(check({ kind: 'every', everyMs: 3_600_000 })).not.toThrow();
    expect(check({ kind: 'every', everyMs: 1_800_000 })).toThrow(/24 times a day/);
    expect(check({ kind: 'fixed-delay', delayMs: 5000 })).toThrow(/fixed-delay/);
    expect(check({ kind: 'cron', expression: '*/5 9 * * *', timeZone: 'UTC' })).not.toThrow();
  });
});

it('all that is wrong in a calendar is said at once', () => {
  const entries = [{ dates: ['2026-02-30', '2026-13-01'] }, { hours: ['9-25'] }];
  expect(() => parseCalendar('bad', { timeZone: 'Europe/Berln', entries })).toThrow(
    /Europe\/Berln.*Europe\/Berlin.*"2026-02-30".*"2026-13-01".*"9-25"/,
  );
  const unread: unknown = { timeZone: 'Europe/Berln', entris: [], entries: [] };
  expect(() => parseCalendar('bad', unread as Parameters<typeof parseCalendar>[1])).toThrow(
    /entries.*unknown key "entris", did you mean entries\?.*Europe\/Berlin/,
  );
});
