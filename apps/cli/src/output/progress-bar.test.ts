import { expect, test } from 'vitest';
import { progressBar } from './progress-bar.ts';

test.each([
  [{ done: 0, total: 20, note: null }, '[--------------------] 0 of 20 (0%)'],
  [{ done: 8, total: 20, note: 'copying' }, '[########------------] 8 of 20 (40%), copying'],
  [{ done: 20, total: 20, note: null }, '[####################] 20 of 20 (100%)'],
  [{ done: 30, total: 20, note: null }, '[####################] 30 of 20 (150%)'],
  [{ done: -3, total: 20, note: null }, '[--------------------] -3 of 20 (-15%)'],
  [{ done: 7, total: null, note: 'files' }, '7, files'],
  [{ done: 7, total: 0, note: null }, '7 of 0'],
])('%j is %s', (progress, bar) => {
  expect(progressBar(progress)).toBe(bar);
});
