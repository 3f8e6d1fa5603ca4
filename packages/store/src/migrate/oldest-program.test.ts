import { expect, test } from 'vitest';
import { isBefore } from './oldest-program.ts';

test.each([
  ['0.1.0', '0.1.1', true],
  ['0.9.0', '0.10.0', true],
  ['0.10.0', '0.9.9', false],
  ['1.0.0', '0.9.9', false],
  ['2.0.0', '2.0.0', false],
  ['2.0.0-rc.1', '2.0.0', false],
  ['1.9.9', '2.0.0-rc.1', true],
])('%s is before %s: %s', (version, other, isSo) => {
  expect(isBefore(version, other)).toBe(isSo);
});
