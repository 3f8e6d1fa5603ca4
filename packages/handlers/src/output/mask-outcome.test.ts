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

test('the output is what the handler gave', () => {
  const outcome = { status: 'succeeded', output: 'hunter22' } as const;
  expect(maskOutcome(outcome, ['hunter22'])).toBe(outcome);
});
