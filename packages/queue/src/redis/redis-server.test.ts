import { expect, test } from 'vitest';
import { describeServer, type RedisServer, redisTarget } from './redis-server.ts';

const badUrl = expect.objectContaining({ code: 'bad_redis_url' });
const sentinels = {
  addresses: [
    { host: 'a', port: 26379 },
    { host: 'b', port: 26380 },
  ],
};

test('the parts of a URL are understood', () => {
  expect(redisTarget({ url: 'redis://example.org' })).toEqual({ host: 'example.org', port: 6379, db: 0 });
  expect(redisTarget({ url: 'redis://us%40er:p%2Fw@[::1]:7000/3' })).toEqual({
    host: '::1',
    port: 7000,
    db: 3,
    username: 'us@er',
    password: 'p/w',
  });
});

test('rediss means TLS, redis does not', () => {
  const tls = { ca: 'CA', cert: 'CERT', key: 'KEY', serverName: 'redis.internal' };
  expect(redisTarget({ url: 'rediss://example.org', tls }).tls).toEqual({
    ca: 'CA',
    cert: 'CERT',
    key: 'KEY',
    servername: 'redis.internal',
  });
  expect(redisTarget({ url: 'rediss://example.org' }).tls).toEqual({});
  expect(redisTarget({ url: 'redis://example.org', tls }).tls).toBeUndefined();
});

test.each(['localhost:6379', 'http://localhost', '', 'redis://localhost/one'])('"%s" is refused', (url) => {
  expect(() => redisTarget({ url })).toThrow(badUrl);
});

test('with sentinels the host is the name of the primary', () => {
  const server: RedisServer = { url: 'redis://user:pw@Jobs_1/2', sentinels: { ...sentinels, password: 'other' } };
  expect(redisTarget(server)).toEqual({
    name: 'Jobs_1',
    role: 'master',
    sentinels: sentinels.addresses,
    sentinelPassword: 'other',
    username: 'user',
    password: 'pw',
    db: 2,
  });
});

test('sentinels are spoken to by TLS where Redis is', () => {
  const target = redisTarget({ url: 'rediss://mymaster', tls: { ca: 'CA' }, sentinels });
  expect(target).toMatchObject({ tls: { ca: 'CA' }, sentinelTLS: { ca: 'CA' }, enableTLSForSentinelMode: true });
});

test.each(['redis://mymaster:6379', 'redis://10.0.0.1', 'redis:///0'])('"%s" names no primary', (url) => {
  expect(() => redisTarget({ url, sentinels })).toThrow(badUrl);
});

test('a message never shows a password', () => {
  expect(describeServer({ url: 'redis://user:secret@example.org:6380/2' })).toBe('redis://example.org:6380/2');
  expect(describeServer({ url: 'redis://:secret@mymaster', sentinels: { ...sentinels, password: 'secret' } })).toBe(
    'redis://mymaster (by the sentinels a:26379, b:26380)',
  );
  expect(() => redisTarget({ url: 'http://user:secret@example.org' })).toThrow(/^(?!.*secret)/);
});
