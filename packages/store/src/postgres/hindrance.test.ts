import { EscapementError } from '@escapement/core';
import { expect, test } from 'vitest';
import { explainHindrance } from './hindrance.ts';

const at = { url: 'postgres://app:s3cret@db.example:5433/jobs' };
const refused = (code: string, message: string) => Object.assign(new Error(message), { code });

test.each([
  [
    '25006',
    'cannot execute UPDATE in a read-only transaction',
    'database_read_only',
    /name the primary in DATABASE_URL/,
  ],
  ['57014', 'canceling statement due to statement timeout', 'database_busy', /ESCAPEMENT_STATEMENT_TIMEOUT_MS/],
  ['55P03', 'canceling statement due to lock timeout', 'database_busy', /somebody holds a lock/],
  ['53300', 'sorry, too many clients already', 'database_busy', /max_connections/],
  ['53100', 'could not extend file: No space left on device', 'database_busy', /more disk or memory/],
  ['40P01', 'deadlock detected', 'database_busy', /try again/],
])('SQLSTATE %s is told with its server and what helps', (code, message, told, fix) => {
  const error = explainHindrance(refused(code, message), at);
  expect([error?.code, error?.fix]).toEqual([told, expect.stringMatching(fix)]);
  expect(error?.message).toMatch(/^Postgres at db\.example:5433 /);
  expect(error?.message).toContain(message);
  expect(`${error?.message}${error?.fix}`).not.toContain('s3cret');
});

test('what names the URL is in the advice', () => {
  expect(explainHindrance(refused('25006', 'read-only'), { ...at, from: 'escapement dev' })?.fix).toContain(
    'name the primary in escapement dev',
  );
});

test('any other error is left as it is', () => {
  expect(explainHindrance(refused('42P01', 'relation "x" does not exist'), at)).toBeUndefined();
  expect(explainHindrance(new EscapementError('unknown_task', 'there is no such task'), at)).toBeUndefined();
  expect(explainHindrance('text', at)).toBeUndefined();
});
