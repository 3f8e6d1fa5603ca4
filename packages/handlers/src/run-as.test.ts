import { userInfo } from 'node:os';
import { describe, expect, test } from 'vitest';
import { accountsOf, missingCapabilities } from './run-as.ts';

const asRoot = process.getuid?.() === 0;
const runAs = (name?: string) => accountsOf({ runAs: name, allowRoot: false, env: {} });

describe.runIf(asRoot)('a worker that is root', () => {
  test('runs tasks as nobody unless it says otherwise', async () => {
    expect(await runAs()).toMatchObject({ own: { uid: 0 }, tasks: { name: 'nobody', home: '/' }, allowRoot: false });
  });

  test('runs them as a user by name or number, with a group of its own', async () => {
    expect(await runAs('daemon')).toMatchObject({ tasks: { name: 'daemon', uid: 1, gid: 1 } });
    expect(await runAs('4711')).toMatchObject({ tasks: { name: '4711', uid: 4711, gid: 4711, home: '/' } });
    expect(await runAs('daemon:12')).toMatchObject({ tasks: { uid: 1, gid: 12 } });
    expect(await runAs('daemon:daemon')).toMatchObject({ tasks: { uid: 1, gid: 1 } });
  });

  test('may run them as itself', async () => {
    expect(await runAs('root')).toMatchObject({ tasks: { uid: 0 }, allowRoot: true });
    expect(await runAs('0')).toMatchObject({ tasks: { uid: 0 } });
  });
});

test('who is not there is refused', async () => {
  await expect(runAs('no-such-user')).rejects.toMatchObject({ code: 'user_unknown' });
  await expect(runAs(`${userInfo().username}:no-such-group`)).rejects.toMatchObject({ code: 'group_unknown' });
});

test.runIf(!asRoot)('a worker that is not root runs tasks as itself only', async () => {
  const { own, tasks } = await runAs();
  expect(tasks).toEqual(own);
  await expect(runAs('root')).rejects.toMatchObject({ code: 'run_as_not_permitted' });
});

test('what a root needs to become others is read from its capabilities', () => {
  expect(missingCapabilities('Name:\tnode\nCapEff:\t00000000000000e0\n')).toEqual([]);
  expect(missingCapabilities('CapEff:\t0000000000000020\n')).toEqual(['SETGID', 'SETUID']);
  expect(missingCapabilities('CapEff:\t0000000000000000\n')).toEqual(['KILL', 'SETGID', 'SETUID']);
  expect(missingCapabilities('')).toEqual([]);
});
