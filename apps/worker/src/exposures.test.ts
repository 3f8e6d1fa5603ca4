import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSecretRules } from '@escapement/core/secrets';
import { ownAccount } from '@escapement/handlers';
import { afterAll, expect, test } from 'vitest';
import { type ExposureOptions, exposuresOf } from './exposures.ts';

const NOBODY = { name: 'nobody', uid: 65_534, gid: 65_534, home: '/' };
const own = ownAccount(process.env);
const separated = { own: { ...own, uid: 0 }, tasks: NOBODY, allowRoot: false };
const config = {
  databaseUrl: 'postgres://localhost/x',
  allowInline: false,
  allowRootTasks: false,
  allowShell: true,
  settingsFile: undefined,
  redisTlsKey: undefined,
  leaseRedisTlsKey: undefined,
  secrets: parseSecretRules('ESCAPEMENT_SECRET_*'),
};
const folder = mkdtempSync(join(tmpdir(), 'escapement-exposures-'));
afterAll(() => rmSync(folder, { recursive: true }));

const look = (change: Partial<ExposureOptions['config']> = {}, more: Partial<ExposureOptions> = {}) =>
  exposuresOf({ accounts: separated, env: {}, config: { ...config, ...change }, ...more });

function fileOf(name: string, mode: number): string {
  const file = join(folder, name);
  writeFileSync(file, '', { mode });
  return file;
}

test('a worker whose tasks are another user exposes nothing', async () => {
  expect(await look()).toEqual([]);
});

test('what the worker allows is named', async () => {
  expect(await look({ allowInline: true, allowRootTasks: true })).toEqual(['inline', 'root_tasks']);
  expect(await look({ allowRootTasks: true, allowShell: false })).toEqual([]);
});

test('a debugger, to which every user of the machine may connect, is named', async () => {
  process.execArgv.push('--inspect=0');
  try {
    expect(await look()).toEqual(['debugger']);
  } finally {
    process.execArgv.pop();
  }
});

test('tasks that are root can read everything', async () => {
  expect(await look({}, { accounts: { ...separated, tasks: { ...own, uid: 0 } } })).toEqual(['root']);
});

test('a file of settings or a key that the user of tasks can read is named', async () => {
  expect(await look({ settingsFile: fileOf('closed', 0o600) })).toEqual([]);
  expect(await look({ settingsFile: fileOf('open', 0o644) })).toEqual(['files']);
  expect(await look({ redisTlsKey: fileOf('key', 0o604) })).toEqual(['files']);
  expect(await look({ databaseUrl: `postgres://x/x?sslkey=${join(folder, 'open')}` })).toEqual(['files']);
  expect(await look({ settingsFile: '/dev/fd/3' })).toEqual([]);
});

test.runIf(process.platform === 'linux')('a process of that user that has a credential is named', async () => {
  const secret = `canary-${randomUUID()}`;
  const tasks = { ...NOBODY, uid: own.uid === 0 ? NOBODY.uid : own.uid };
  const accounts = { own: { ...own, uid: tasks.uid + 1 }, tasks, allowRoot: false };
  const ids = own.uid === 0 ? { uid: tasks.uid, gid: tasks.gid } : {};
  const child = spawn('/bin/sleep', ['60'], { env: { ANYTHING: secret }, cwd: '/', ...ids });
  await once(child, 'spawn');
  try {
    expect(await look({}, { env: { ESCAPEMENT_SECRET_X: secret }, accounts })).toEqual(['other_processes']);
    expect(await look({}, { env: { ESCAPEMENT_SECRET_X: 'another one' }, accounts })).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
});
