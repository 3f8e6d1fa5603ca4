import { taskDefinition } from '@escapement/core';
import { expect, test } from 'vitest';
import { wholeDefinition } from './formats.ts';

const schedule = { kind: 'cron', expression: '0 1 * * *', timeZone: 'UTC' } as const;
const handler = { type: 'code', name: 'send' } as const;
const given = { name: 'mail/nightly', schedule, handler };
const edited = { priority: 7, notify: { none: true }, timeoutMs: 1000, payload: { by: 'hand' } } as const;
const current = taskDefinition.parse({ ...given, retry: { maxAttempts: 3 }, ...edited });

test('of a job scheduler what people have set stays, also what its import advises to set; what it says is taken, also where it says nothing', () => {
  const whole = wholeDefinition('bullmq', { value: given, atFirst: undefined }, current);
  expect(whole).toMatchObject({ ...given, ...edited });
  expect(whole).not.toHaveProperty('retry');
});

test('a payload that is known takes the place of the one that is there, though it is empty', () => {
  const value = { ...given, payload: {} };
  expect(wholeDefinition('bullmq', { value, atFirst: undefined }, current)).toMatchObject({ payload: {} });
});

test('a new task has what it needs besides; files say all', () => {
  expect(wholeDefinition('k8s', { value: given, atFirst: { timeoutMs: 5 } }, undefined)).toEqual({
    ...given,
    timeoutMs: 5,
  });
  expect(wholeDefinition('files', { value: given, atFirst: undefined }, current)).toBe(given);
});
