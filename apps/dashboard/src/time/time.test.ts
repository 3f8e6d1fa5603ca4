import { expect, test } from 'vitest';
import { durationWords, roughly } from './durations.ts';
import { fullInstant, relativeInstant, shortInstant, zoneNameBeside } from './instants.ts';

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

test('a zone is named where its clock shows another time than the own one', () => {
  const beside = (zone: string, own: string, at = now) => zoneNameBeside(at, { zone, own });
  expect([beside('Europe/Berlin', 'UTC'), beside('America/New_York', 'Europe/Berlin')]).toEqual(['CET', 'GMT-5']);
  expect([beside('UTC', 'Europe/Berlin'), beside('Asia/Kolkata', 'UTC')]).toEqual(['UTC', 'GMT+5:30']);
  expect([beside('Europe/Berlin', 'Europe/Berlin'), beside('Europe/Paris', 'Europe/Berlin')]).toEqual([null, null]);
  // London has the time of UTC in winter, and not in summer.
  const summer = Date.parse('2027-07-01T12:00:00Z');
  expect([beside('Europe/London', 'UTC'), beside('Europe/London', 'UTC', summer)]).toEqual([null, 'BST']);
});
