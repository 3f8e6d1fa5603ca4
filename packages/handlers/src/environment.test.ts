import { expect, test } from 'vitest';
import { baseEnvironment } from './environment.ts';

const account = { name: 'ann', uid: 1, gid: 1, home: '/home/ann' };
const parts = { account, shell: '/bin/sh', env: { PATH: '/opt/bin', TZ: 'UTC', HOME: '/root' } };

test('a process has a base like that of cron, and what the worker opens', () => {
  expect(baseEnvironment(parts)).toEqual({
    PATH: '/opt/bin',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    HOME: '/home/ann',
    LOGNAME: 'ann',
    USER: 'ann',
    SHELL: '/bin/sh',
  });
});

test("the task's own go over the base", () => {
  expect(baseEnvironment({ ...parts, taskEnv: { PATH: '/bin', HOME: '/srv' } })).toMatchObject({
    PATH: '/bin',
    HOME: '/srv',
  });
});

test('a worker without a PATH still finds the usual programs', () => {
  expect(baseEnvironment({ ...parts, env: {} }).PATH).toBe('/usr/local/bin:/usr/bin:/bin');
});
