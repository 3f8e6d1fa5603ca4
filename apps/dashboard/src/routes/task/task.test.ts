import { expect, test } from 'vitest';
import { differences, shown } from './differences.ts';

test('what differs is told by its smallest parts', () => {
  const from = { kind: 'cron', expression: '0 2 * * *', timeZone: 'UTC' };
  const to = { kind: 'cron', expression: '0 3 * * *', timeZone: 'UTC', jitterMs: 5 };
  expect(differences('schedule', from, to)).toEqual([
    { path: 'schedule.expression', from: '0 2 * * *', to: '0 3 * * *' },
    { path: 'schedule.jitterMs', from: undefined, to: 5 },
  ]);
  expect(differences('retry', undefined, { maxAttempts: 3 })).toEqual([
    { path: 'retry', from: undefined, to: { maxAttempts: 3 } },
  ]);
  expect(differences('then', [1, 2], [2, 1])).toEqual([{ path: 'then', from: [1, 2], to: [2, 1] }]);
  expect(differences('a', { b: null }, { b: null })).toEqual([]);
});

test('text is shown as it is, anything else as JSON', () => {
  expect(shown('0 3 * * *')).toBe('0 3 * * *');
  expect(shown({ a: 1 })).toBe('{\n  "a": 1\n}');
});
