import { expect, test } from 'vitest';
import { endOf } from './ends.ts';

test('an end is so long from now, or an instant; an instant that is none is still to be given', () => {
  const now = Date.parse('2026-11-22T12:00:00Z');
  expect(endOf('day', '', now)).toBe('2026-11-23T12:00:00.000Z');
  expect(endOf('at', '2026-11-24T08:30:00Z', now)).toBe('2026-11-24T08:30:00.000Z');
  expect(endOf('at', '', now)).toBeUndefined();
});
