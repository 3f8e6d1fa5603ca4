import { expect, test } from 'vitest';
import { retryAfter } from './retry-after.ts';

const now = new Date('2025-01-01T00:00:00Z');

test.each([
  ['120', '2025-01-01T00:02:00.000Z'],
  ['Wed, 01 Jan 2025 00:00:30 GMT', '2025-01-01T00:00:30.000Z'],
  ['99999999', '2025-01-02T00:00:00.000Z'],
])('%s', (header, expected) => {
  expect(retryAfter(header, now)?.toISOString()).toBe(expected);
});

test.each([undefined, '', '0', 'soon', '-5', 'Tue, 31 Dec 2024 00:00:00 GMT'])('%s asks for nothing', (header) => {
  expect(retryAfter(header, now)).toBeUndefined();
});
