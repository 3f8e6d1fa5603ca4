import { expect, test } from 'vitest';
import { counted, fromNow, inUtc, inZone, span } from './wording.ts';

test('instants are shown in a zone with their offset', () => {
  const at = new Date('2026-03-29T01:00:00Z');
  expect(inZone(at, 'Europe/Berlin')).toBe('2026-03-29 03:00:00 +02:00');
  expect(inZone(at, 'UTC')).toBe('2026-03-29 01:00:00 +00:00');
  expect(inZone(at, 'Asia/Kolkata')).toBe('2026-03-29 06:30:00 +05:30');
  expect(inUtc(at)).toBe('2026-03-29T01:00:00Z');
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1200, '1.2 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [97_200_000, '1 d 3 h'],
])('%i ms is %s', (ms, words) => {
  expect(span(ms)).toBe(words);
});

test('the future and the past', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  expect(fromNow(new Date('2026-01-01T00:05:00Z'), now)).toBe('in 5 min');
  expect(fromNow(new Date('2025-12-31T22:00:00Z'), now)).toBe('2 h ago');
});

test('one and many', () => {
  expect([counted(1, 'task'), counted(2, 'task'), counted(0, 'entry', 'entries')]).toEqual([
    '1 task',
    '2 tasks',
    '0 entries',
  ]);
});
