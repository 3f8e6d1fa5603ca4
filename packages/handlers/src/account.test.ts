import { expect, test } from 'vitest';
import { parsePasswd, sameAccount, startAs } from './account.ts';

test('parsePasswd reads the line of the user', () => {
  const lines = 'root:x:0:0:root:/root:/bin/bash\nann:x:1000:100:Ann:/home/ann:/bin/zsh\n';
  expect(parsePasswd(lines, 'ann')).toEqual({ name: 'ann', uid: 1000, gid: 100, home: '/home/ann' });
  expect(parsePasswd(lines, 'an')).toBeUndefined();
});

const own = { name: 'node', uid: 1000, gid: 1000, home: '/home/node' };
const root = { name: 'root', uid: 0, gid: 0, home: '/root' };
const separated = { own: root, tasks: own, allowRoot: false };

test.each([undefined, 'node'])("user %s is the worker's own: nothing to change", async (user) => {
  expect(await startAs(user, sameAccount(own))).toEqual({ account: own, prefix: [] });
});

test('only root may start as somebody else', async () => {
  await expect(startAs('bin', sameAccount(own))).rejects.toMatchObject({
    code: 'user_not_permitted',
    message: 'this worker runs as "node" and cannot start as "bin"',
  });
});

test('a task that names nobody gets the ids of the account of tasks', async () => {
  expect(await startAs(undefined, separated)).toEqual({ account: own, ids: { uid: 1000, gid: 1000 }, prefix: [] });
});

test('root is refused unless the worker allows it', async () => {
  await expect(startAs('root', separated)).rejects.toMatchObject({ code: 'root_not_allowed' });
  expect(await startAs('root', { ...separated, allowRoot: true })).toMatchObject({ account: { uid: 0 }, prefix: [] });
});
