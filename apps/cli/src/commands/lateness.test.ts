import { expect, test } from 'vitest';
import { lateness } from './runs.ts';

const at = (ms: number) => new Date(ms);

test.each([
  ['a first start: from when it was due', { startedAt: at(1040), dueAt: at(1000), attempt: 1 }, '40 ms'],
  ['on time', { startedAt: at(1000), dueAt: at(1000), attempt: 1 }, '0 ms'],
  ['between attempts, due at the next: not known', { startedAt: at(1040), dueAt: at(3000), attempt: 1 }, '-'],
  ['a later attempt: none', { startedAt: at(3010), dueAt: at(3000), attempt: 2 }, '-'],
  ['not started', { startedAt: null, dueAt: at(1000), attempt: 0 }, '-'],
])('how late %s', (_, run, late) => {
  expect(lateness(run)).toBe(late);
});
