import { expect, test } from 'vitest';
import { parsePasswd, startAs } from './account.ts';

test('parsePasswd reads the line of the user', () => {
  const lines = 'root:x:0:0:root:/root:/bin/bash\nann:x:1000:100:Ann:/home/ann:/bin/zsh\n';
  expect(parsePasswd(lines, 'ann')).toEqual({ name: 'ann', uid: 1000, gid: 100, home: '/home/ann' });
  expect(parsePasswd(lines, 'an')).toBeUndefined();
});

const own = { name: 'node', uid: 1000, gid: 1000, home: '/home/node' };

test.each([undefined, 'node'])("user %s is the worker's own: nothing to change", async (user) => {
  expect(await startAs(user, own)).toEqual({ account: own, prefix: [] });
});

test('only root may start as somebody else', async () => {
  await expect(startAs('root', own)).rejects.toMatchObject({
    code: 'user_not_permitted',
    message: 'this worker runs as "node" and cannot start as "root"',
  });
});
