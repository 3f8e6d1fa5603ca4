import { expect, test } from 'vitest';
import { readInstant } from './instant.ts';

const now = new Date('2026-05-01T12:00:00Z');
const read = (text: string, spans: 'ago' | 'ahead' = 'ago', timeZone = 'UTC') =>
  readInstant(text, { what: '--since', now, spans, timeZone }).toISOString();

test.each([
  ['2026-03-29T03:00:00Z', '2026-03-29T03:00:00.000Z'],
  ['2026-03-29T03:00+02:00', '2026-03-29T01:00:00.000Z'],
  ['2026-03-29 03:00:00.5Z', '2026-03-29T03:00:00.500Z'],
  ['2026-03-29', '2026-03-29T00:00:00.000Z'],
  ['now', '2026-05-01T12:00:00.000Z'],
  ['15m', '2026-05-01T11:45:00.000Z'],
  ['2h', '2026-05-01T10:00:00.000Z'],
  ['1.5d', '2026-04-30T00:00:00.000Z'],
])('%s is %s', (text, instant) => {
  expect(read(text)).toBe(instant);
});

test('a span may lie ahead, and say so itself', () => {
  expect(read('2h', 'ahead')).toBe('2026-05-01T14:00:00.000Z');
  for (const spans of ['ago', 'ahead'] as const) {
    expect(read('+2h', spans)).toBe('2026-05-01T14:00:00.000Z');
    expect(read('-2h', spans)).toBe('2026-05-01T10:00:00.000Z');
  }
});

test('a time without an offset is in the zone, on both sides of a change of it', () => {
  expect(read('2026-03-29', 'ago', 'Europe/Berlin')).toBe('2026-03-28T23:00:00.000Z');
  expect(read('2026-03-29 01:59', 'ago', 'Europe/Berlin')).toBe('2026-03-29T00:59:00.000Z');
  expect(read('2026-03-29T03:00', 'ago', 'Europe/Berlin')).toBe('2026-03-29T01:00:00.000Z');
  expect(read('2026-11-01 12:00', 'ago', 'America/New_York')).toBe('2026-11-01T17:00:00.000Z');
});

test('a time that there is twice is the first of them', () => {
  expect(read('2026-10-25 02:30', 'ago', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
});

test.each([
  ['2027-02-31', 'UTC'],
  ['2027-02-29 10:00', 'UTC'],
  ['2027-02-31T10:00Z', 'UTC'],
  ['2027-04-31T10:00:00+02:00', 'UTC'],
  ['2027-03-01 24:00', 'UTC'],
  // The clock goes from 02:00 to 03:00.
  ['2027-03-28 02:15', 'Europe/Berlin'],
])('"%s" in %s is refused: it never comes', (text, timeZone) => {
  expect(() => read(text, 'ago', timeZone)).toThrow(expect.objectContaining({ code: 'bad_instant' }));
});

test.each(['', 'yesterday', '2026-13-01', '2026-02-30T99:00Z', '5 parsecs', '12'])('"%s" is refused', (text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'bad_instant', fix: expect.any(String) }));
});
