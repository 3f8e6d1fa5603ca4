import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Environment } from './environment.ts';
import { checkConfig, describeConfig, loadConfig } from './load.ts';
import { redisServers } from './redis-servers.ts';

const SERVERS = { DATABASE_URL: 'postgres://db/jobs', REDIS_URL: 'redis://cache:6379' };
const dir = mkdtempSync(join(tmpdir(), 'escapement-config-'));
const [cert, key, otherKey] = ['cert.pem', 'key.pem', 'other.pem'].map((name) => join(dir, name)) as [
  string,
  string,
  string,
];
const TLS = { REDIS_URL: 'rediss://cache', REDIS_TLS_CERT: cert, REDIS_TLS_KEY: key };

beforeAll(() => {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  openssl('req', '-x509', ...curve, '-subj', '/CN=test', '-keyout', key, '-out', cert);
  openssl('ecparam', '-genkey', '-name', 'prime256v1', '-noout', '-out', otherKey);
});
afterAll(() => rmSync(dir, { recursive: true }));

function problems(env: Environment): string[] {
  const result = checkConfig({ ...SERVERS, ...env }, 'worker');
  return result.ok ? [] : result.problems.map(({ message, fix }) => `${message}: ${fix}`);
}

const serversOf = (env: Environment) => redisServers(loadConfig({ ...SERVERS, ...env }, 'worker'));

test('one Redis serves for queues and leases where only one is named', () => {
  const { queue, leases } = serversOf({});
  expect(queue).toEqual({ url: 'redis://cache:6379' });
  expect(leases).toBe(queue);
});

test('leases may have a Redis of their own, with options of its own', () => {
  const { queue, leases } = serversOf({
    ...TLS,
    REDIS_LEASE_URL: 'redis://leases/1',
    REDIS_LEASE_SENTINELS: 'a, b:7000, [::1]',
    REDIS_LEASE_SENTINEL_PASSWORD: 'pw',
  });
  expect(queue.tls).toMatchObject({ cert: expect.stringContaining('BEGIN CERTIFICATE'), serverName: undefined });
  expect(leases).toEqual({
    url: 'redis://leases/1',
    sentinels: {
      addresses: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 7000 },
        { host: '::1', port: 26_379 },
      ],
      username: undefined,
      password: 'pw',
    },
  });
});

test('with sentinels the URL names the primary', () => {
  const env = { REDIS_SENTINELS: 'a:1,b:2' };
  expect(problems({ ...env, REDIS_URL: 'redis://:secret@cache:6379' })).toEqual([
    'REDIS_SENTINELS is set and REDIS_URL is "redis://:***@cache:6379": its host must be the name that the sentinels have for the primary, without a port, as in redis://mymaster',
  ]);
  expect(problems({ ...env, REDIS_URL: 'redis://10.1.2.3' })).toHaveLength(1);
  expect(problems({ ...env, REDIS_URL: 'redis://:secret@mymaster/2' })).toEqual([]);
  expect(problems({ REDIS_SENTINELS: 'redis://a' })[0]).toMatch('REDIS_SENTINELS is "redis://a": must be host:port');
});

test('what is of no use by itself is refused', () => {
  expect(problems({ REDIS_SENTINEL_PASSWORD: 'x' })).toEqual([
    'REDIS_SENTINEL_PASSWORD is set and REDIS_SENTINELS is not: it is theirs; set REDIS_SENTINELS too',
  ]);
  expect(problems({ REDIS_LEASE_SENTINELS: 'a' })).toEqual([
    'REDIS_LEASE_SENTINELS is set and REDIS_LEASE_URL is not: it names the primary; set REDIS_LEASE_URL too',
  ]);
  expect(problems({ REDIS_TLS_CA: cert })).toEqual([
    'REDIS_TLS_CA is set and REDIS_URL is not for TLS: let REDIS_URL begin with rediss://, or remove REDIS_TLS_CA',
  ]);
});

test('certificates and keys are looked at before anything is started', () => {
  expect(problems(TLS)).toEqual([]);
  expect(problems({ ...TLS, REDIS_TLS_CA: join(dir, 'none.pem') })).toEqual([
    expect.stringMatching(/^REDIS_TLS_CA is ".*none.pem": must be a file in PEM form with a certificate, readable/),
  ]);
  expect(problems({ ...TLS, REDIS_TLS_KEY: undefined })).toEqual([
    'REDIS_TLS_CERT is set and REDIS_TLS_KEY is not: a certificate is of no use without its key; set REDIS_TLS_KEY too',
  ]);
  expect(problems({ ...TLS, REDIS_TLS_KEY: otherKey })).toEqual([
    expect.stringMatching(/^REDIS_TLS_CERT and REDIS_TLS_KEY cannot be used together \(.*mismatch/),
  ]);
});

test('passwords are never shown', () => {
  const config = loadConfig(
    { ...SERVERS, REDIS_URL: 'redis://:one@m', REDIS_SENTINELS: 'a', REDIS_SENTINEL_PASSWORD: 'two' },
    'worker',
  );
  expect(describeConfig(config)).toMatchObject({
    REDIS_URL: 'redis://:***@m',
    REDIS_SENTINELS: 'a:26379',
    REDIS_SENTINEL_PASSWORD: '***',
  });
});

test('the TLS parameters of the database are looked at too', () => {
  const database = (query: string) => problems({ DATABASE_URL: `postgres://app:pw@db/jobs?${query}` });
  expect(database('sslmode=verify-full')).toEqual([]);
  expect(database(`sslmode=verify-full&sslrootcert=${cert}`)).toEqual([]);
  expect(database('sslmode=verify_full')).toEqual(['DATABASE_URL has sslmode=verify_full: did you mean verify-full?']);
  expect(database('sslrootcert=/none/ca.pem')).toEqual([
    'DATABASE_URL has sslrootcert=/none/ca.pem: must be a file in PEM form, readable by this process',
  ]);
  expect(problems({ DATABASE_STANDBY_URL: 'postgres://app:pw@copy/jobs?sslmode=verify_full' })).toEqual([
    'DATABASE_STANDBY_URL has sslmode=verify_full: did you mean verify-full?',
  ]);
});
