import { expect, test } from 'vitest';
import { dateIn, daysAfter, hourIn, weekdayOf } from './dates.ts';

test('day and hour of an instant are those of the zone', () => {
  const at = Date.parse('2026-12-31T23:30:00Z');
  expect([dateIn('UTC', at), dateIn('Europe/Berlin', at)]).toEqual(['2026-12-31', '2027-01-01']);
  expect([hourIn('UTC', at), hourIn('Europe/Berlin', at)]).toEqual([23, 0]);
});

test('weekdays begin on Monday', () => {
  expect(weekdayOf('2026-12-25')).toBe(4);
});

test('days are counted over the end of a month, and backwards', () => {
  expect([daysAfter('2028-02-28', 2), daysAfter('2027-01-01', -1)]).toEqual(['2028-03-01', '2026-12-31']);
});
