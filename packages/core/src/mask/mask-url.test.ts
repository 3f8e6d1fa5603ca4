import { expect, test } from 'vitest';
import { maskText } from './mask-text.ts';
import { maskUrl, maskUrlPath } from './mask-url.ts';

test.each([
  ['postgres://app:s3cret@db:5432/jobs', 'postgres://app:***@db:5432/jobs'],
  [
    'postgres://db/jobs?user=app&password=s3cret&sslmode=require',
    'postgres://db/jobs?user=app&password=***&sslmode=require',
  ],
  ['rediss://:s3cret@cache:6380/1', 'rediss://:***@cache:6380/1'],
  ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379'],
  ['postgres://app@db/jobs', 'postgres://app@db/jobs'],
  ['https://ghp_s3cret@github.com/a', 'https://***@github.com/a'],
  [
    'https://x.example/?key=s3cret&sort_key=a&idempotency_key=b',
    'https://x.example/?key=***&sort_key=a&idempotency_key=b',
  ],
  ['https://x.example/?X-Amz-Signature=s3cret&X-Amz-Date=1', 'https://x.example/?X-Amz-Signature=***&X-Amz-Date=1'],
  ['https://x.example/#access_token=s3cret&state=a', 'https://x.example/#access_token=***&state=a'],
  ['https://x.example/#chapter=2', 'https://x.example/#chapter=2'],
  [
    'https://x.example/?access_token=s3cret&author=ann&design=1',
    'https://x.example/?access_token=***&author=ann&design=1',
  ],
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
  expect(maskText(text)).toBe(
    'connect postgres://app:***@db/jobs failed at 12:30:00, see https://example.com/a:b@c and a@b',
  );
});

test.each([
  ['GET https://x.example/a?token=s3cret&page=2 answered 500', 'GET https://x.example/a?token=***&page=2 answered 500'],
  ['opened https://x.example/#access_token=s3cret', 'opened https://x.example/#access_token=***'],
  ['clone https://ghp_s3cret@github.com/a failed', 'clone https://***@github.com/a failed'],
  ['{"authorization":"Bearer s3cret.s3cret"}', '{"authorization":"Bearer ***"}'],
  ['Authorization: Basic YXBwOnMzY3JldA==', 'Authorization: Basic ***'],
  ['{\\"Authorization\\":\\"Bearer abc\\"}', '{\\"Authorization\\":\\"Bearer ***\\"}'],
  ['authorization: short', 'authorization: ***'],
  ['curl said: Bearer eyJhbGciOi.abc.def refused', 'curl said: Bearer *** refused'],
  ['x-api-key: s3cret', 'x-api-key: ***'],
  ['curl -H "X-Vault-Token: s3cret" x', 'curl -H "X-Vault-Token: ***" x'],
  ['{"cookie":"sid=s3cret; theme=dark"}', '{"cookie":"***"}'],
  ['Set-Cookie: sid=s3cret; HttpOnly\nnext', 'Set-Cookie: ***\nnext'],
  ['Unexpected token: } in JSON', 'Unexpected token: } in JSON'],
  ['a basic idea, a bearer of news', 'a basic idea, a bearer of news'],
  ['Basic authentication failed, authorization is required', 'Basic authentication failed, authorization is required'],
])('%s', (text, shown) => expect(maskText(text)).toBe(shown));

test.each([
  ['schemes', 'a.'.repeat(500_000)],
  ['URLs without an end', 'a://b:'.repeat(200_000)],
  ['parameters without a value', '?a'.repeat(500_000)],
  ['names before an @', 'http://'.repeat(150_000)],
  ['credentials', 'Bearer '.repeat(150_000)],
  ['headers', 'x-'.repeat(500_000)],
  ['cookies', 'cookie=a.'.repeat(110_000)],
])('a megabyte of %s is read in one go', (_, text) => {
  const start = process.cpuUsage();
  maskText(text);
  const { user, system } = process.cpuUsage(start);
  // A second reading of the rest for each place would take hours.
  expect((user + system) / 1000).toBeLessThan(10_000);
});
