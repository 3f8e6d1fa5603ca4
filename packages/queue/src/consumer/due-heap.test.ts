import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDueHeap } from './due-heap.ts';

test('things come out in the order they are due, and never before', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1000 })), fc.integer({ min: 0, max: 1000 }), (dues, nowMs) => {
      const heap = createDueHeap<number>();
      for (const due of dues) heap.push(due, due);
      const popped: number[] = [];
      for (let item = heap.popDue(nowMs); item !== undefined; item = heap.popDue(nowMs)) popped.push(item);
      expect(popped).toEqual(dues.filter((due) => due <= nowMs).sort((a, b) => a - b));
      expect(heap.size).toBe(dues.length - popped.length);
    }),
  );
});

test('an empty heap has nothing due', () => {
  const heap = createDueHeap<string>();
  expect(heap.nextDueMs()).toBeUndefined();
  heap.push(5, 'a');
  expect(heap.nextDueMs()).toBe(5);
  expect(heap.popDue(5)).toBe('a');
  expect(heap.popDue(5)).toBeUndefined();
});
