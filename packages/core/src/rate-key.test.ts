import { expect, test } from 'vitest';
import { checkUnknownTask } from './check-task.ts';

const task = (rate: unknown, more: object = {}) => ({
  name: 'mail',
  handler: { type: 'shell', command: 'true' },
  rate,
  ...more,
});

test('a rate is kept as it was given', () => {
  expect(checkUnknownTask(task({ limit: 10, perMs: 60_000 })).rate).toEqual({ limit: 10, perMs: 60_000 });
  const key = 'mail:{{payload.customer}}';
  expect(checkUnknownTask(task({ limit: 1, perMs: 100, key })).rate).toEqual({ limit: 1, perMs: 100, key });
});

test.each([
  ['no limit', { perMs: 1000 }, /rate\.limit/],
  ['no time', { limit: 1 }, /rate\.perMs/],
  ['a limit of none', { limit: 0, perMs: 1000 }, /rate\.limit/],
  ['half a start', { limit: 1.5, perMs: 1000 }, /rate\.limit/],
  ['too short a time', { limit: 1, perMs: 99 }, /rate\.perMs/],
  ['too long a time', { limit: 1, perMs: 31 * 86_400_000 }, /rate\.perMs/],
  ["another system's word", { limit: 1, perMs: 1000, period: '1m' }, /period/],
  ['a mistyped word', { limit: 1, perms: 1000 }, /perMs/],
  ['an empty key', { limit: 1, perMs: 1000, key: '' }, /rate\.key/],
  ['half a placeholder', { limit: 1, perMs: 1000, key: 'mail:{{payload.customer' }, /without its other half/],
  ['something else than the payload', { limit: 1, perMs: 1000, key: '{{output.x}}' }, /\{\{output\.x\}\}/],
])('%s is refused, naming the place', (_, rate, message) => {
  expect(() => checkUnknownTask(task(rate))).toThrow(message);
});

test('a scheduled task has to bring the field that its key names', () => {
  const rate = { limit: 1, perMs: 1000, key: '{{payload.customer}}' };
  const schedule = { kind: 'every', everyMs: 60_000 };
  expect(() => checkUnknownTask(task(rate, { schedule }))).toThrow(/payload\.customer, which the payload lacks/);
  expect(checkUnknownTask(task(rate, { schedule, payload: { customer: 'a' } })).rate).toEqual(rate);
});
