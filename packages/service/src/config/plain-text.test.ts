import { expect, it, test } from 'vitest';
import { plainTextServers, plainTextWords } from './plain-text.ts';

const HERE = 'postgres://me:secret@localhost/db';

it.each([
  'postgres://me:secret@localhost:5432/db',
  'postgres://me:secret@127.0.0.1/db',
  'postgres://me:secret@127.1/db',
  'postgres://me:secret@[::1]:5432/db',
  'postgres://me:secret@[::ffff:127.0.0.1]/db',
  'postgres://me:secret@db.localhost/db',
  'postgres:///db',
  'postgres:///db?host=/var/run/postgresql',
  'postgres://me:secret@%2Fvar%2Frun%2Fpostgresql/db',
  'postgres://me:secret@db.example/db?host=/var/run/postgresql',
  'postgres://me:secret@db.example/db?sslmode=verify-full',
  'postgres://me:secret@db.example/db?sslmode=require',
  'postgres://me:secret@db.example/db?ssl=true',
  'postgres://me:secret@db.example/db?sslrootcert=/ca.pem',
])('nothing is said of %s', (databaseUrl) => {
  expect(plainTextServers({ databaseUrl })).toEqual([]);
});

it.each([
  ['postgres://me:secret@db.example/db', 'db.example'],
  ['postgres://me:secret@db.example:6543/db', 'db.example:6543'],
  ['postgres://me:secret@10.0.0.7/db', '10.0.0.7'],
  ['postgres://me:secret@[fd00::7]:5432/db', '[fd00::7]:5432'],
  ['postgres://me:secret@localhost/db?host=db.example', 'db.example'],
  ['postgres://me:secret@localhost.example/db', 'localhost.example'],
  ['postgres://me:secret@127.0.0.1.example/db', '127.0.0.1.example'],
  ['postgres://me:secret@db.example/db?sslmode=disable', 'db.example'],
  ['postgres://me:secret@db.example/db?ssl=0', 'db.example'],
])('%s is spoken to in plain text', (databaseUrl, hosts) => {
  expect(plainTextServers({ databaseUrl })).toEqual([
    { server: 'Postgres', hosts, fix: 'add sslmode=verify-full to DATABASE_URL' },
  ]);
});

test('a standby is spoken to in plain text as well', () => {
  expect(plainTextServers({ databaseUrl: HERE, standbyUrl: 'postgres://me:secret@copy.example/db' })).toEqual([
    {
      server: 'the standby of Postgres',
      hosts: 'copy.example',
      fix: 'add sslmode=verify-full to DATABASE_STANDBY_URL',
    },
  ]);
});

it.each([
  ['redis://me:secret@cache.example:6379/0', undefined, 'cache.example:6379'],
  ['redis://me:secret@[fd00::7]', undefined, '[fd00::7]'],
  ['redis://me:secret@mymaster', ['s1.example:26379', '127.0.0.1:26379', '[::1]:26379'], 's1.example:26379'],
])('%s is spoken to in plain text', (redisUrl, redisSentinels, hosts) => {
  expect(plainTextServers({ databaseUrl: HERE, redisUrl, redisSentinels })).toEqual([
    { server: 'Redis', hosts, fix: 'use rediss:// in REDIS_URL' },
  ]);
});

it.each([
  ['redis://localhost:6379', undefined],
  ['redis://me:secret@[::1]:6379/1', undefined],
  ['rediss://cache.example', undefined],
  ['rediss://mymaster', ['s1.example:26379']],
  ['redis://mymaster', ['127.0.0.1:26379']],
])('nothing is said of %s', (redisUrl, redisSentinels) => {
  expect(plainTextServers({ databaseUrl: HERE, redisUrl, redisSentinels })).toEqual([]);
});

test('the Redis for leases is told by itself, and no words have a password in them', () => {
  const found = plainTextServers({
    databaseUrl: 'postgres://me:secret@db.example/db',
    redisUrl: 'rediss://me:secret@cache.example',
    leaseRedisUrl: 'redis://me:secret@leases.example',
  });
  expect(found.map(plainTextWords)).toEqual([
    expect.stringMatching(/^Postgres at db\.example is spoken to in plain text/),
    expect.stringMatching(/^Redis for leases at leases\.example is spoken to in plain text/),
  ]);
  expect(JSON.stringify([found, found.map(plainTextWords)])).not.toMatch(/secret|me:/);
});

it.each([
  ['postgres://me@db.example/db', { PGSSLMODE: 'require' }, []],
  ['postgres://me@db.example/db', { PGSSLMODE: 'disable' }, ['db.example']],
  ['postgres://me@db.example/db?sslmode=disable', { PGSSLMODE: 'require' }, ['db.example']],
  ['postgres:///db', { PGHOST: 'db.example', PGPORT: '6543' }, ['db.example:6543']],
  ['postgres:///db', { PGHOST: '/run/postgresql' }, []],
  ['postgres:///db', {}, []],
])('of %s with %j in the environment, as node-postgres takes it: %j', (databaseUrl, env, hosts) => {
  expect(plainTextServers({ databaseUrl }, env).map((each) => each.hosts)).toEqual(hosts);
});
