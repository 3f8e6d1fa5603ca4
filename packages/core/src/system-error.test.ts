import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EscapementError } from './errors.ts';
import { explainSystemError, systemReason } from './system-error.ts';
import { briefly } from './words.ts';

function thrownBy(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}

test('what the system refuses is a sentence with the place and what helps', () => {
  const error = explainSystemError(thrownBy(() => readFileSync('/no/such/file')));
  expect(error).toMatchObject({
    code: 'system_refused',
    message: 'the system refused `open /no/such/file`: there is no such file (ENOENT)',
    fix: 'correct the path',
  });
  expect(systemReason(thrownBy(() => readFileSync('/')))).toBe('it is a folder');
});

test('an error of the system that is not known keeps its words', () => {
  const error = Object.assign(new Error('EXDEV: cross-device link'), { code: 'EXDEV', syscall: 'rename', path: '/a' });
  expect(explainSystemError(error)?.message).toBe('the system refused `rename /a`: EXDEV: cross-device link (EXDEV)');
});

test.each([
  new TypeError('x'),
  new EscapementError('no_file', 'x'),
  Object.assign(new Error('x'), { code: '42P01' }),
  Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE', syscall: 'open' }),
  'a text',
])('%s is none of the system', (error) => {
  expect(explainSystemError(error)).toBeUndefined();
});

test('of many names the first are said, and the others counted', () => {
  expect(briefly(['a', 'b'])).toBe('a, b');
  expect(briefly([...'abcde'])).toBe('a, b, c, d, e');
  expect(briefly([...'abcdef'])).toBe('a, b, c, d, e and 1 more');
  expect(
    briefly(
      Array.from({ length: 1500 }, (_, index) => String(index)),
      2,
    ),
  ).toBe('0, 1 and 1,498 more');
});
