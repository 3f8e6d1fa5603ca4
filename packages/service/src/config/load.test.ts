import { EscapementError } from '@escapement/core';
import { expect, expectTypeOf, test } from 'vitest';
import type { Environment } from './environment.ts';
import { checkConfig, describeConfig, loadConfig } from './load.ts';
import type { Role } from './variable.ts';

const SERVERS = { DATABASE_URL: 'postgres://app:s3cret@db/jobs', REDIS_URL: 'redis://cache:6379' };

function problems(env: Environment, role: Role = 'worker'): string[] {
  const result = checkConfig({ ...SERVERS, ...env }, role);
  return result.ok ? [] : result.problems.map(({ message, fix }) => `${message}: ${fix}`);
}

test('with the two servers alone every role has a configuration', () => {
  const worker = loadConfig(SERVERS, 'worker');
  expect(worker).toMatchObject({
    databaseUrl: SERVERS.DATABASE_URL,
    redisUrl: SERVERS.REDIS_URL,
    namespace: 'default',
    pools: ['default'],
    concurrency: 50,
    allowShell: false,
    secrets: ['ESCAPEMENT_SECRET_*'],
    graceMs: 30_000,
    healthPort: 8081,
    logFormat: 'json',
    leaseMs: 10_000,
    migrate: false,
    maxClockOffsetMs: 500,
  });
  expect(loadConfig(SERVERS, 'scheduler')).toMatchObject({
    healthPort: 8080,
    horizonMs: 10_000,
    deadmanIntervalMs: 60_000,
  });
});

test('a role has only the values that it reads, with the types that it needs', () => {
  const cli = loadConfig({}, 'cli');
  expectTypeOf(cli.databaseUrl).toEqualTypeOf<string | undefined>();
  expectTypeOf(loadConfig(SERVERS, 'worker').databaseUrl).toEqualTypeOf<string>();
  expectTypeOf(loadConfig(SERVERS, 'worker').healthPort).toEqualTypeOf<number | 'off'>();
  expectTypeOf(loadConfig(SERVERS, 'worker').tasks).toEqualTypeOf<string[] | undefined>();
  expectTypeOf(cli).not.toHaveProperty('concurrency');
  expect(cli).not.toHaveProperty('concurrency');
});

test('all problems are listed together', () => {
  const load = () =>
    loadConfig({ REDIS_URL: 'localhost', ESCAPEMENT_CONCURRENCY: 'fifty', ESCAPEMENT_POOL: 'eu' }, 'worker');
  expect(load).toThrow(EscapementError);
  expect(load).toThrow(
    [
      '4 problems in the configuration of the worker:',
      '  DATABASE_URL is missing: set it to a URL that begins with postgres:// or postgresql://',
      '  REDIS_URL is "(not shown: it may hold a password)": must be a URL that begins with redis:// or rediss://',
      '  ESCAPEMENT_CONCURRENCY is "fifty": must be a whole number from 1 to 10,000',
      '  ESCAPEMENT_POOL is not a variable of Escapement: did you mean ESCAPEMENT_POOLS?',
    ].join('\n'),
  );
});

test.each([
  ['ESCAPEMENT_CONCURRENCY', '0'],
  ['ESCAPEMENT_CONCURRENCY', '1e3'],
  ['ESCAPEMENT_GRACE_MS', '30s'],
  ['ESCAPEMENT_GRACE_MS', '-1'],
  ['ESCAPEMENT_ALLOW_SHELL', 'maybe'],
  ['ESCAPEMENT_POOLS', 'eu,,us'],
  ['ESCAPEMENT_POOLS', 'EU'],
  ['ESCAPEMENT_NAMESPACE', 'a:b'],
  ['ESCAPEMENT_SECRETS', '*'],
  ['ESCAPEMENT_HEALTH_PORT', '65536'],
  ['ESCAPEMENT_LOG_LEVEL', 'loud'],
  ['DATABASE_URL', 'mysql://app:pw@db/jobs'],
])('%s=%s is refused', (variable, value) => {
  expect(problems({ [variable]: value })).toEqual([expect.stringMatching(`^${variable} is "`)]);
});

test.each([
  ['ESCAPEMENT_NOTIFY_WEBHOOK', 'ftp://example.com'],
  ['ESCAPEMENT_DEADMAN_URL', 'ping.example.com'],
  ['ESCAPEMENT_HORIZON_MS', '10'],
])('%s=%s is refused by the scheduler', (variable, value) => {
  expect(problems({ [variable]: value }, 'scheduler')).toEqual([expect.stringMatching(`^${variable} is "`)]);
});

test('lists, flags and ports are read as a person would write them', () => {
  const config = loadConfig(
    { ...SERVERS, ESCAPEMENT_POOLS: 'eu, us,eu', ESCAPEMENT_ALLOW_SHELL: 'Yes', ESCAPEMENT_HEALTH_PORT: 'off' },
    'worker',
  );
  expect(config).toMatchObject({ pools: ['eu', 'us'], allowShell: true, healthPort: 'off' });
});

test('an empty value counts as absent', () => {
  expect(loadConfig({ ...SERVERS, ESCAPEMENT_CONCURRENCY: ' ', ESCAPEMENT_SMTP_URL: '' }, 'worker').concurrency).toBe(
    50,
  );
  expect(problems({ DATABASE_URL: '' })).toHaveLength(1);
});

test('variables of other roles are neither read nor a problem', () => {
  expect(problems({ ESCAPEMENT_CONCURRENCY: 'fifty' }, 'scheduler')).toEqual([]);
});

test('an unknown variable is a problem, with the nearest one if there is one; secrets are not unknown', () => {
  expect(problems({ ESCAPEMENT_CONCURENCY: '5' })).toEqual([
    'ESCAPEMENT_CONCURENCY is not a variable of Escapement: did you mean ESCAPEMENT_CONCURRENCY?',
  ]);
  expect(problems({ ESCAPEMENT_X: '5' })).toHaveLength(1);
  expect(problems({ ESCAPEMENT_SECRET_TOKEN: 'a', PATH: '/bin' })).toEqual([]);
  expect(problems({ ESCAPEMENT_SECRETS: 'ESCAPEMENT_DB_*', ESCAPEMENT_DB_PASSWORD: 'a' })).toEqual([]);
});

test('mail needs a server and a sender', () => {
  expect(problems({ ESCAPEMENT_NOTIFY_EMAIL: 'ops@example.com' }, 'scheduler')).toEqual([
    'ESCAPEMENT_NOTIFY_EMAIL is set and ESCAPEMENT_SMTP_URL is not: mail needs a server; set ESCAPEMENT_SMTP_URL too',
  ]);
  expect(problems({ ESCAPEMENT_SMTP_URL: 'smtp://mail' }, 'scheduler')).toHaveLength(1);
  expect(
    problems(
      {
        ESCAPEMENT_SMTP_URL: 'smtps://mail',
        ESCAPEMENT_MAIL_FROM: 'Jobs <jobs@localhost>',
        ESCAPEMENT_NOTIFY_EMAIL: 'ops@example.com, root@localhost',
      },
      'scheduler',
    ),
  ).toEqual([]);
  expect(problems({ ESCAPEMENT_SMTP_URL: 'smtp://mail' }, 'worker')).toEqual([]);
});

test('a shown value never holds a password', () => {
  const config = loadConfig(
    {
      ...SERVERS,
      ESCAPEMENT_SMTP_URL: 'smtp://me:s3cret@mail',
      ESCAPEMENT_MAIL_FROM: 'a@example.com',
      ESCAPEMENT_NOTIFY_WEBHOOK: 'https://a.example/s3cret,https://b.example/s3cret',
      ESCAPEMENT_DEADMAN_URL: 'https://ping.example/s3cret',
    },
    'scheduler',
  );
  const shown = describeConfig(config);
  expect(JSON.stringify(shown)).not.toContain('s3cret');
  expect(shown).toMatchObject({
    DATABASE_URL: 'postgres://app:***@db/jobs',
    ESCAPEMENT_NOTIFY_WEBHOOK: 'https://a.example/***,https://b.example/***',
    ESCAPEMENT_HORIZON_MS: '10000',
  });
  expect(problems({ DATABASE_URL: 'mysql://app:s3cret@db' })[0]).not.toContain('s3cret');
});
