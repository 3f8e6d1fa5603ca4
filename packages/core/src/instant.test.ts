import { expect, test } from 'vitest';
import { admitInstant, instantText, readInstant, readSpan } from './instant.ts';

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

const OUTSIDE = [
  '1969-12-31T23:59:59.999Z',
  '0000-01-01T00:00:00Z',
  '1970-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
];

test.each([...OUTSIDE, '1969-12-31', '0001-01-01 10:00'])('"%s" is out of range', (text) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({ code: 'bad_instant', message: expect.stringContaining(text) }),
  );
});

test.each(['+9999999d', '-99999999999w', '2e9d', `${'9'.repeat(400)}d`])(
  'a span of "%s" leads out of range',
  (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'bad_instant' }));
  },
);

test('a length of time that no two instants lie apart is refused', () => {
  expect(() => readSpan('--every')(`${'9'.repeat(400)}d`)).toThrow(expect.objectContaining({ code: 'bad_span' }));
});

test('the first and the last instant of the range are taken at each door', () => {
  for (const text of ['1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']) {
    expect(read(text)).toBe(text);
    expect(instantText.parse(text)).toBe(text);
    expect(admitInstant(new Date(text), 'it').toISOString()).toBe(text);
  }
});

test.each([...OUTSIDE, '+010000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z', 'now'])(
  'a message cannot say %s',
  (text) => {
    expect(instantText.safeParse(text).success).toBe(false);
  },
);

test.each([Number.NaN, -1, 8.64e15, 253402300800000])('a Date of %s ms is refused', (ms) => {
  expect(() => admitInstant(new Date(ms), 'it')).toThrow(expect.objectContaining({ code: 'bad_instant' }));
});
