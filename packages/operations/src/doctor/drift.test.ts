import { expect, test } from 'vitest';
import { driftRows } from './drift.ts';

const missing = (subject: string) => ({ kind: 'missing_job', subject }) as const;

test('what only one of two looks found is a fleet at work; what both found lasts', () => {
  expect(driftRows([missing('a'), missing('b')], [missing('c'), missing('b')], [])).toMatchObject([
    { kind: 'missing_job', found: 2, lasting: 1, examples: ['b', 'c'] },
  ]);
  expect(driftRows([missing('a')], [], [])).toEqual([]);
});

test('what was ever repaired is told, though nothing is wrong now', () => {
  const foundAt = new Date(0);
  expect(driftRows([], [], [{ kind: 'lost_run', foundAt, found: 2, total: 7n }])).toMatchObject([
    { kind: 'lost_run', found: 0, lasting: 0, repairedAt: foundAt, repaired: 7n },
  ]);
});
