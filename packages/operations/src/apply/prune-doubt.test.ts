import { expect, test } from 'vitest';
import { pruneDoubt } from './prune-doubt.ts';

const doubt = (left: number, had: number, allowed?: number) =>
  pruneDoubt({ set: 'shop', left: Array.from({ length: left }, (_, index) => `t${index}`), had, allowed });

test('up to half of a set is deleted without a question', () => {
  expect([doubt(0, 0), doubt(0, 9), doubt(1, 2), doubt(5, 10)]).toEqual([undefined, undefined, undefined, undefined]);
});

test('all of it, or more than half, is asked for', () => {
  expect(doubt(1, 1)).toBe('pruning deletes 1 of the 1 task of the set "shop": t0');
  expect(doubt(7, 12)).toBe('pruning deletes 7 of the 12 tasks of the set "shop": t0, t1, t2, t3, t4 and 2 more');
});

test('who says how many may go is not asked, and no more go', () => {
  expect(doubt(12, 12, 12)).toBeUndefined();
  expect(() => doubt(3, 10, 2)).toThrow(
    'pruning deletes 3 of the 10 tasks of the set "shop": t0, t1, t2; 2 may be deleted',
  );
});
