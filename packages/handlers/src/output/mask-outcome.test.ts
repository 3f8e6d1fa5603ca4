import { expect, test } from 'vitest';
import { maskOutcome } from './mask-outcome.ts';

test('secrets are masked in message, stack, causes and fields of an error, and in the reason of a skip', () => {
  const error = {
    name: 'E',
    message: 'no hunter22 here',
    stack: 'E: hunter22\n at x',
    cause: { name: 'C', message: 'hunter22' },
    fields: { url: ['http://hunter22@x'], code: 7 },
  };
  expect(maskOutcome({ status: 'failed', error, retry: 'never' }, ['hunter22'])).toEqual({
    status: 'failed',
    retry: 'never',
    error: {
      name: 'E',
      message: 'no *** here',
      stack: 'E: ***\n at x',
      cause: { name: 'C', message: '***' },
      fields: { url: ['http://***@x'], code: 7 },
    },
  });
  expect(maskOutcome({ status: 'skipped', reason: 'hunter22' }, ['hunter22'])).toEqual({
    status: 'skipped',
    reason: '***',
  });
});

test('the URLs in an error are masked, whatever secrets there are', () => {
  const error = { name: 'E', message: 'connect postgres://app:pw@db failed; GET https://x.example/?token=abc' };
  expect(maskOutcome({ status: 'failed', error }, [])).toMatchObject({
    error: { message: 'connect postgres://app:***@db failed; GET https://x.example/?token=***' },
  });
});

test('an output is masked, names of its fields too', () => {
  const output = { hunter22: ['x hunter22', { deep: 'hunter22' }], count: 7 };
  expect(maskOutcome({ status: 'succeeded', output }, ['hunter22'])).toEqual({
    status: 'succeeded',
    output: { '***': ['x ***', { deep: '***' }], count: 7 },
  });
});

test.each([
  ['the state', { state: { value: { token: 'hunter22' }, version: 1, shape: 1 } }],
  ['the payload for b', { chain: [{ task: 'b', payload: ['hunter22'] }] }],
])('a secret in %s fails the run: what a task keeps is not changed in silence', (place, effects) => {
  expect(maskOutcome({ status: 'succeeded', effects }, ['hunter22'])).toEqual({
    status: 'failed',
    retry: 'never',
    error: {
      name: 'EscapementError',
      message: `${place} holds the value of a secret, which would be stored as it is; keep its name instead, and take the value from the secrets when it is needed`,
      fields: { code: 'secret_kept' },
    },
  });
  expect(maskOutcome({ status: 'succeeded', effects }, ['other'])).toEqual({ status: 'succeeded', effects });
});
