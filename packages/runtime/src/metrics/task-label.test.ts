import { expect, test } from 'vitest';
import { boundedTaskLabel } from './task-label.ts';

test('the first tasks keep their names, the others share one', () => {
  const label = boundedTaskLabel(2);
  expect(['a', 'b', 'c', 'a', 'c'].map(label)).toEqual(['a', 'b', 'other', 'a', 'other']);
});

test('without a bound above 0 no name is told', () => {
  expect(boundedTaskLabel(0)('a')).toBe('');
});
