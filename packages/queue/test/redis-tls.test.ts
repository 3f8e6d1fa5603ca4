import { connectRedis, type RedisServer } from '@escapement/queue';
import { freePort } from '@escapement/servers';
import { certificates } from '@escapement/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aFleet, runsThrough } from './support.ts';

/** A Redis that asks for certificates, and how to get into it. */
async function tlsRedis(name: string) {
  const { files, ca, cert, key } = await certificates(name);
  const port = await freePort();
  const redis = await ownRedis(
    ...[`--tls-port ${port}`, `--tls-ca-cert-file ${files.ca}`, '--tls-auth-clients yes'],
    ...[`--tls-cert-file ${files.cert}`, `--tls-key-file ${files.key}`],
  );
  return { redis, url: `rediss://127.0.0.1:${port}`, tls: { ca, cert, key } };
}

async function whyNot(server: RedisServer): Promise<string> {
  const connection = connectRedis({ ...server, namespace: 'test', commandTimeoutMs: 1000 });
  onTestFinished(() => connection.close());
  return connection.ping().then(
    () => 'it answered',
    (error) => String(error),
  );
}

test('queue, worker and leases, with the thread that renews them, work by TLS with certificates', async () => {
  const { url, tls } = await tlsRedis('127.0.0.1');
  await runsThrough(aFleet({ url, tls }));
});

test('a server of another authority, of another name, and a client without a certificate are refused', async () => {
  const { url, tls } = await tlsRedis('redis.internal');
  const other = await certificates('redis.internal');
  expect(await whyNot({ url, tls: { ...tls, ca: other.ca } })).toMatch(/certificate/);
  expect(await whyNot({ url, tls })).toMatch(/altnames/);
  expect(await whyNot({ url, tls: { ...tls, serverName: 'redis.internal' } })).toBe('it answered');
  expect(await whyNot({ url, tls: { ca: tls.ca, serverName: 'redis.internal' } })).not.toBe('it answered');
});

test('a user who may touch nothing but our keys is enough', async () => {
  const redis = await ownRedis();
  const rules = ['on', '>se/cret', '~esc:*', 'resetchannels', '+@all', '-@admin', '-@dangerous', '+info'];
  await redis.client.call('ACL', 'SETUSER', 'jobs', ...rules);
  await redis.client.call('ACL', 'SETUSER', 'default', 'off');
  await runsThrough(aFleet({ url: redis.url.replace('//', '//jobs:se%2Fcret@') }));
});
