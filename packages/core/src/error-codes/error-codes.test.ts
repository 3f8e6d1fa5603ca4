import { expect, test } from 'vitest';
import { EscapementError } from '../errors.ts';
import { ERROR_SECTIONS, ERRORS } from './error-codes.ts';

test('each code is in one section', () => {
  const listed = ERROR_SECTIONS.flatMap(({ codes }) => Object.keys(codes));
  expect(listed.sort()).toEqual(Object.keys(ERRORS).sort());
});

test('the compiler refuses a code that has no facts', () => {
  // @ts-expect-error
  expect(new EscapementError('no_such_code', 'x').code).toBe('no_such_code');
});
