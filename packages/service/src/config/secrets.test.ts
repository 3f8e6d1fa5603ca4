import { parseSecretRules } from '@escapement/core/secrets';
import { expect, test } from 'vitest';
import { secretsFrom } from './secrets.ts';

test('only variables that are named, or begin as a pattern does, are secrets that tasks may use', () => {
  const env = {
    DATABASE_URL: 'x',
    ESCAPEMENT_SECRET_A: 'a',
    API_TOKEN: 't',
    API_TOKEN_OLD: 'o',
    UNSET: undefined,
    ESCAPEMENT_SECRET_B: '',
  };
  expect([...secretsFrom(env, parseSecretRules('ESCAPEMENT_SECRET_*, API_TOKEN tasks=a, UNSET'))]).toEqual([
    ['ESCAPEMENT_SECRET_A', 'a'],
    ['API_TOKEN', 't'],
  ]);
});
