import { expect, test } from 'vitest';
import { clockDaysOf, ticksOf } from './axis.ts';

const HOUR = 3_600_000;
/** Pieces as the API makes them: the first begins at an instant of any kind, the others at borders. */
const pieces = (from: string, stepMs: number, count: number) => {
  const first = Date.parse(from);
  const next = Math.ceil((first + 1) / stepMs) * stepMs;
  return [first, ...Array.from({ length: count }, (_, index) => next + index * stepMs)].map((ms) => ({
    from: new Date(ms).toISOString(),
  }));
};
const labels = (of: readonly { from: string }[], zone: string) => ticksOf(of, zone).map(({ label }) => label);

test('a day has a mark every few hours of its zone, the first of them and midnight with the date', () => {
  expect(labels(pieces('2026-11-28T12:07:21.500Z', HOUR / 4, 95), 'Europe/Berlin')).toEqual([
    ...['Sat 28 Nov 15:00', '18:00', '21:00', 'Sun 29 Nov', '03:00', '06:00', '09:00', '12:00'],
  ]);
  // India is half an hour off.
  expect(labels(pieces('2026-11-28T12:07:21.500Z', HOUR / 4, 95), 'Asia/Kolkata').slice(0, 3)).toEqual([
    ...['Sat 28 Nov 18:00', '21:00', 'Sun 29 Nov'],
  ]);
});

test('several days have marks where days begin', () => {
  expect(labels(pieces('2026-11-28T12:07:21.500Z', HOUR, 7 * 24), 'UTC')).toEqual([
    ...['Sun 29 Nov', 'Mon 30 Nov', 'Tue 1 Dec', 'Wed 2 Dec', 'Thu 3 Dec', 'Fri 4 Dec', 'Sat 5 Dec'],
  ]);
  expect(labels(pieces('2026-11-28T12:07:21.500Z', 6 * HOUR, 31 * 4), 'UTC')).toEqual([
    ...['Sun 29 Nov', 'Fri 4 Dec', 'Wed 9 Dec', 'Mon 14 Dec', 'Sat 19 Dec', 'Thu 24 Dec', 'Tue 29 Dec'],
  ]);
});

test('a day in which a clock changes is marked as a whole, as the zone has it', () => {
  const week = pieces('2027-03-25T12:30:00Z', HOUR, 7 * 24);
  const [day, ...others] = clockDaysOf(week, [{ at: '2027-03-28T01:00:00Z' }], 'Europe/Berlin');
  expect(others).toEqual([]);
  expect([day?.date, week[day?.from ?? 0]?.from, (day?.to ?? 0) - (day?.from ?? 0)]).toEqual([
    ...['2027-03-28', '2027-03-27T23:00:00.000Z', 23],
  ]);
  expect(clockDaysOf(week, [{ at: '2027-06-01T01:00:00Z' }], 'Europe/Berlin')).toEqual([]);
});
