import { expect, test } from 'vitest';
import { maskPasswords, maskUrl, maskUrlPath } from './mask.ts';

test.each([
  ['postgres://app:s3cret@db:5432/jobs', 'postgres://app:***@db:5432/jobs'],
  [
    'postgres://db/jobs?user=app&password=s3cret&sslmode=require',
    'postgres://db/jobs?user=app&password=***&sslmode=require',
  ],
  ['rediss://:s3cret@cache:6380/1', 'rediss://:***@cache:6380/1'],
  ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379'],
])('a URL is shown without its password: %s', (url, shown) => {
  expect(maskUrl(url)).toBe(shown);
});

test.each(['app:s3cret@db:5432/jobs', 'postgres://app:s3c ret@db', 'host=db password=s3cret'])(
  'what may hide a password and is no URL is not shown at all: %s',
  (text) => {
    expect(maskUrl(text)).not.toContain('cret');
  },
);

test('a webhook is shown by its host alone', () => {
  expect(maskUrlPath('https://hooks.example.com/services/T0/B0/s3cret?x=1')).toBe('https://hooks.example.com/***');
});

test('passwords of URLs inside a text are masked, and the rest is left alone', () => {
  const text = 'connect postgres://app:s3cret@db/jobs failed at 12:30:00, see https://example.com/a:b@c and a@b';
  expect(maskPasswords(text)).toBe(
    'connect postgres://app:***@db/jobs failed at 12:30:00, see https://example.com/a:b@c and a@b',
  );
});
