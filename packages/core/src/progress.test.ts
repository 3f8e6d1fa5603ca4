import { expect, it } from 'vitest';
import { admitProgress, formatProgress } from './progress.ts';

it('keeps what can be stored, and drops what is no number', () => {
  expect(admitProgress(3, 10, 'copying')).toEqual({ done: 3, total: 10, note: 'copying' });
  expect(admitProgress(3, Number.NaN, 7)).toEqual({ done: 3, total: null, note: null });
  expect(admitProgress(Number.POSITIVE_INFINITY)).toBeNull();
  expect(admitProgress('3')).toBeNull();
  expect(admitProgress(1, 2, `a\0${'x'.repeat(1000)}`)?.note).toMatch(/^a\uFFFDx{498}$/);
});

it.each([
  [{ done: 3, total: 10, note: 'copying' }, '3 of 10 (30%), copying'],
  [{ done: 3, total: null, note: null }, '3'],
  [{ done: 0, total: 0, note: null }, '0 of 0'],
])('words %j as %s', (progress, words) => {
  expect(formatProgress(progress)).toBe(words);
});
