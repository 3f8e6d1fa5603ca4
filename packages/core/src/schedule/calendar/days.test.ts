import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../clock.ts';
import { parseCalendar } from './calendar.ts';
import { calendarDays } from './days.ts';
import { type CalendarSpec, WEEKDAY_NAMES } from './spec.ts';

const days = (entries: CalendarSpec['entries'], year: number, timeZone = 'UTC') =>
  calendarDays(parseCalendar('c', { timeZone, entries }), year);

describe('the days of a year', () => {
  it('are whole, or have the hours that are in the calendar, and name what holds', () => {
    expect(
      days(
        [
          { name: 'Christmas', dates: ['12-25'] },
          { dates: ['2026-03-31'], hours: ['18-24'] },
        ],
        2026,
      ),
    ).toEqual([
      { date: '2026-03-31', isWhole: false, hours: ['18:00-24:00'], entries: ['2026-03-31; hours 18-24'] },
      { date: '2026-12-25', isWhole: true, hours: ['00:00-24:00'], entries: ['Christmas'] },
    ]);
  });

  it('put hours together that touch, and those beyond midnight at both ends of the day', () => {
    const entries: CalendarSpec['entries'] = [{ dates: ['01-01'], hours: ['22-6', '6-8:30'] }];
    expect(days(entries, 2026)[0]?.hours).toEqual(['00:00-08:30', '22:00-24:00']);
    expect(days([{ dates: ['01-01'], hours: ['12-0', '0-12'] }], 2026)[0]?.isWhole).toBe(true);
  });

  it('know leap years and ranges over New Year', () => {
    expect(days([{ dates: ['02-29'] }], 2027)).toEqual([]);
    expect(days([{ dates: ['02-29'] }], 2028)).toHaveLength(1);
    expect(days([{ from: '12-30', to: '01-02' }], 2026).map(({ date }) => date)).toEqual([
      ...['2026-01-01', '2026-01-02', '2026-12-30', '2026-12-31'],
    ]);
  });

  it('have exactly the minutes at which the calendar excludes', () => {
    const hour = fc.integer({ min: 0, max: 23 });
    const hours = fc
      .tuple(hour, fc.integer({ min: 0, max: 24 }), fc.constantFrom('', ':30'))
      .filter(([from, to]) => from !== to)
      .map(([from, to, half]) => `${from}${half}-${to}`);
    const entry = fc.record({
      weekdays: fc.uniqueArray(fc.constantFrom(...WEEKDAY_NAMES), { minLength: 1 }),
      hours: fc.array(hours, { minLength: 1, maxLength: 3 }),
    });
    const start = Date.parse('2026-05-04T00:00:00Z');
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 0, max: 7 * 1440 - 1 }),
        (of, at) => {
          const calendar = parseCalendar('c', { timeZone: 'UTC', entries: of });
          const instant = new Date(start + at * MINUTE);
          const [date = '', time = ''] = instant.toISOString().split('T');
          const day = calendarDays(calendar, 2026).find((each) => each.date === date);
          const isIn = (day?.hours ?? []).some((each) => {
            const [from = '', to = ''] = each.split('-');
            return time.slice(0, 5) >= from && time.slice(0, 5) < to;
          });
          expect(isIn).toBe(calendar.reasonAt(instant) !== null);
        },
      ),
    );
  });
});
