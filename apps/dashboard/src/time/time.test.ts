import { expect, test } from 'vitest';
import { durationWords, roughly } from './durations.ts';
import { fullInstant, relativeInstant, shortInstant } from './instants.ts';

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [3200, '3.2 s'],
  [59_999, '59 s'],
  [245_000, '4 min 05 s'],
  [7_800_000, '2 h 10 min'],
  [7_200_000, '2 h'],
  [273_600_000, '3 d 4 h'],
  [-5, '0 ms'],
])('a duration of %d ms is %s', (ms, words) => {
  expect(durationWords(ms)).toBe(words);
});

test('a distance is told in one unit', () => {
  expect([roughly(12_900), roughly(-240_000), roughly(47 * 3_600_000), roughly(50 * 3_600_000)]).toEqual([
    '12 s',
    '4 min',
    '47 h',
    '2 d',
  ]);
});

const now = Date.parse('2026-11-22T12:00:00Z');

test('an instant is as short as it stays plain, in its zone', () => {
  const short = (at: string, zone: string) => shortInstant(Date.parse(at), { zone, now });
  expect(short('2026-11-22T20:14:03Z', 'Europe/Berlin')).toBe('21:14:03');
  // The day is that of the zone.
  expect(short('2026-11-22T23:30:00Z', 'Europe/Berlin')).toBe('Mon 23 Nov 00:30:00');
  expect(short('2026-11-22T23:30:00Z', 'UTC')).toBe('23:30:00');
  expect(short('2025-11-22T01:30:00Z', 'UTC')).toBe('22 Nov 2025 01:30:00');
});

test('all of an instant names its zone, and has it in UTC', () => {
  expect(fullInstant(Date.parse('2026-11-22T01:30:00Z'), 'Europe/Berlin')).toBe(
    'Sun 22 Nov 2026, 02:30:00 Europe/Berlin (2026-11-22T01:30:00Z)',
  );
});

test('how long ago, or when', () => {
  expect([relativeInstant(now - 12_000, now), relativeInstant(now + 240_000, now), relativeInstant(now, now)]).toEqual([
    '12 s ago',
    'in 4 min',
    'now',
  ]);
});
