import { describe, expect, test } from 'vitest';
import { runEnvironment, shellEnvironment } from './environment.ts';

const account = { name: 'ann', uid: 1, gid: 1, home: '/home/ann' };

describe('shellEnvironment', () => {
  const workerEnv = {
    PATH: '/opt/bin',
    DATABASE_URL: 'postgres://x',
    TZ: 'UTC',
    HTTP_PROXY: 'http://p',
    HOME: '/root',
  };
  const parts = { account, shell: '/bin/sh', workerEnv, passEnv: [], taskEnv: {} };

  test('has a base like cron, and nothing else of the worker', () => {
    expect(shellEnvironment(parts)).toEqual({
      PATH: '/opt/bin',
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      HOME: '/home/ann',
      LOGNAME: 'ann',
      USER: 'ann',
      SHELL: '/bin/sh',
    });
  });

  test('passes on what the worker is told to', () => {
    expect(shellEnvironment({ ...parts, passEnv: ['HTTP_PROXY', 'NOT_SET'] })).toMatchObject({
      HTTP_PROXY: 'http://p',
    });
  });

  test("the task's own go over the base", () => {
    expect(shellEnvironment({ ...parts, taskEnv: { PATH: '/bin', HOME: '/srv' } })).toMatchObject({
      PATH: '/bin',
      HOME: '/srv',
    });
  });

  test('a worker without a PATH still finds the usual programs', () => {
    expect(shellEnvironment({ ...parts, workerEnv: {} }).PATH).toBe('/usr/local/bin:/usr/bin:/bin');
  });
});

test('runEnvironment names run, task, attempt, due time, lateness, who asked, fence, key and payload', () => {
  const run = {
    id: 'id',
    namespace: 'default',
    taskName: 'invoices',
    origin: 'schedule',
    scheduledFor: new Date('2025-01-01T00:00:00Z'),
    startedAt: new Date('2025-01-01T00:00:01Z'),
    nextAt: null,
    timeoutMs: 3_600_000,
    attempt: 2,
    key: 'invoice:IN',
    latenessMs: 1200,
    requestedBy: 'ann@host',
    causeRunId: null,
    fence: 7n,
  } as const;
  expect(runEnvironment(run, { kind: 'IN' })).toEqual({
    ESCAPEMENT_RUN_ID: 'id',
    ESCAPEMENT_LATENESS_MS: '1200',
    ESCAPEMENT_ORIGIN: 'schedule',
    ESCAPEMENT_REQUESTED_BY: 'ann@host',
    ESCAPEMENT_TASK: 'invoices',
    ESCAPEMENT_ATTEMPT: '2',
    ESCAPEMENT_SCHEDULED_FOR: '2025-01-01T00:00:00.000Z',
    ESCAPEMENT_FENCE: '7',
    ESCAPEMENT_KEY: 'invoice:IN',
    ESCAPEMENT_PAYLOAD: '{"kind":"IN"}',
  });
  expect(runEnvironment(run, undefined)).not.toHaveProperty('ESCAPEMENT_PAYLOAD');
});
