import { expect, test } from 'vitest';
import { describeUrl, impatientOptions, patientOptions } from './redis-options.ts';

const optionsOf = (url: string) => impatientOptions({ url, namespace: 'n' });

test('the parts of a URL are understood', () => {
  expect(optionsOf('redis://example.org')).toMatchObject({ host: 'example.org', port: 6379, db: 0 });
  expect(optionsOf('redis://us%40er:p%2Fw@[::1]:7000/3')).toMatchObject({
    host: '::1',
    port: 7000,
    db: 3,
    username: 'us@er',
    password: 'p/w',
  });
});

test('rediss means TLS, redis does not', () => {
  expect(optionsOf('rediss://example.org').tls).toEqual({ servername: 'example.org' });
  expect(optionsOf('redis://example.org').tls).toBeUndefined();
});

test.each(['localhost:6379', 'http://localhost', '', 'redis://localhost/one'])('"%s" is refused', (url) => {
  expect(() => optionsOf(url)).toThrow(expect.objectContaining({ code: 'bad_redis_url' }));
});

test('a message never shows the password', () => {
  expect(describeUrl('redis://user:secret@example.org:6380/2')).toBe('redis://example.org:6380/2');
  expect(() => optionsOf('http://user:secret@example.org')).toThrow(/^(?!.*secret)/);
});

test('it is tried again after 2 s at the latest', () => {
  const { retryStrategy } = patientOptions({ url: 'redis://example.org', namespace: 'n' });
  for (const times of [1, 2, 10, 1000, 1e9]) expect(retryStrategy?.(times)).toBeLessThanOrEqual(2000);
});
