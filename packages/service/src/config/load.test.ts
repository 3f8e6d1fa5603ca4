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
    secrets: { rules: [{ pattern: 'ESCAPEMENT_SECRET_*' }] },
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

test('a secret that is too short to be masked ends a worker, without its value', () => {
  expect(problems({ ESCAPEMENT_SECRET_PIN: 'q7x' })).toEqual([
    'ESCAPEMENT_SECRET_PIN has 3 characters, too few to be masked in logs: a secret has at least 4; what is no secret gets another name, and that into ESCAPEMENT_TASK_ENV',
  ]);
  expect(problems({ ESCAPEMENT_SECRET_PIN: 'q7x', ESCAPEMENT_SECRET_NONE: '' }, 'scheduler')).toEqual([]);
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
  expect(problems({ ESCAPEMENT_SECRET_TOKEN: 'abcd', PATH: '/bin' })).toEqual([]);
  expect(problems({ ESCAPEMENT_SECRETS: 'ESCAPEMENT_DB_*', ESCAPEMENT_DB_PASSWORD: 'abcd' })).toEqual([]);
});

const OIDC = {
  ESCAPEMENT_API_URL: 'https://jobs.example.com/',
  ESCAPEMENT_OIDC_ISSUER: 'https://id.example.com/realms/shop',
  ESCAPEMENT_OIDC_CLIENT_ID: 'escapement',
  ESCAPEMENT_OIDC_CLIENT_SECRET: 'not to be shown',
  ESCAPEMENT_OIDC_GROUPS: '[{"group":"ops","role":"operator"}]',
};

test('an OpenID provider needs a client, roles of groups, and a way back', () => {
  expect(problems(OIDC, 'api')).toEqual([]);
  for (const name of Object.keys(OIDC)) expect(problems({ ...OIDC, [name]: '' }, 'api').length).toBeGreaterThan(0);
  expect(problems({ ESCAPEMENT_OIDC_ISSUER: OIDC.ESCAPEMENT_OIDC_ISSUER }, 'api')).toHaveLength(4);
  expect(problems({ ...OIDC, ESCAPEMENT_OIDC_ISSUER: '' }, 'worker')).toEqual([]);
});

test.each([
  ['ESCAPEMENT_OIDC_ISSUER', 'http://id.example.com'],
  ['ESCAPEMENT_OIDC_ISSUER', 'https://user@id.example.com'],
  ['ESCAPEMENT_OIDC_ISSUER', 'https://id.example.com/?x'],
  ['ESCAPEMENT_API_URL', 'http://jobs.example.com'],
  ['ESCAPEMENT_API_URL', 'https://jobs.example.com/app'],
  ['ESCAPEMENT_API_URL', 'jobs.example.com'],
  ['ESCAPEMENT_OIDC_GROUPS', 'ops=operator'],
  ['ESCAPEMENT_OIDC_GROUPS', '[{"group":"ops","role":"root"}]'],
  ['ESCAPEMENT_OIDC_SCOPES', 'profile email'],
  ['ESCAPEMENT_OIDC_SCOPES', 'openid2 profile'],
])('%s is not %s', (name, value) => {
  const given = { ...OIDC, [name]: value };
  expect(problems(given, 'api')).toEqual([expect.stringMatching(new RegExp(`^${name} is `))]);
});

test('a provider on this machine needs no TLS, and its secret is shown nowhere', () => {
  const local = {
    ...OIDC,
    ESCAPEMENT_OIDC_ISSUER: 'http://localhost:3000',
    ESCAPEMENT_API_URL: 'http://127.0.0.1:4747',
  };
  expect(problems(local, 'api')).toEqual([]);
  const broken = problems({ ...local, ESCAPEMENT_OIDC_CLIENT_SECRET: 'nöt-to-be-shown' }, 'api');
  expect(broken).toEqual(['ESCAPEMENT_OIDC_CLIENT_SECRET is "***": must be 1 to 2000 characters of ASCII']);
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

test('where requests may go is read once, and shown as it was written', () => {
  const { egress } = loadConfig({ ...SERVERS, ESCAPEMENT_EGRESS: ' public, 10.2.0.0/16:443 ' }, 'worker');
  expect(String(egress)).toBe('public, 10.2.0.0/16:443');
  expect(describeConfig(loadConfig(SERVERS, 'cli')).ESCAPEMENT_EGRESS).toBe('public');
  expect(problems({ ESCAPEMENT_EGRESS: 'public,127.1' })[0]).toMatch(
    /^ESCAPEMENT_EGRESS is "public,127.1": must be words/,
  );
});

test("a fleet's own webhook at an address that is not open is a problem at start", () => {
  const hook = { ESCAPEMENT_NOTIFY_WEBHOOK: 'https://example.com/x,http://10.0.0.7/hooks/s3cret' };
  expect(problems(hook, 'scheduler')).toEqual([
    'ESCAPEMENT_NOTIFY_WEBHOOK has http://10.0.0.7/***: requests to 10.0.0.7 port 80 are not open: rule "private" (10.0.0.0/8): ' +
      'ESCAPEMENT_EGRESS is "public"; an operator opens it by "10.0.0.7:80", or all of its kind by "private"',
  ]);
  expect(problems({ ...hook, ESCAPEMENT_EGRESS: 'public,private' }, 'scheduler')).toEqual([]);
});
