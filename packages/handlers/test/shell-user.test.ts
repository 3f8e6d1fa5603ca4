import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { runLine } from './shell.ts';

const asRoot = process.getuid?.() === 0;

test.runIf(asRoot)("a worker that is root runs a line as another user, with that user's home", async () => {
  const { outcome, logged } = await runLine('id -un; echo $USER $LOGNAME $HOME; echo x > /dev/stderr', {
    user: 'nobody',
  });
  expect(outcome).toEqual({ status: 'succeeded', exitCode: 0 });
  expect(logged).toMatch(/^nobody\nnobody nobody \/\S+\nx\n$/);
});

test.runIf(asRoot)('a user keeps the further groups', async () => {
  const users = execFileSync('cut', ['-d:', '-f1', '/etc/passwd'], { encoding: 'utf8' }).trim().split('\n');
  const groups = (user: string) => execFileSync('id', ['-G', user], { encoding: 'utf8' });
  const user = users.find((name) => name !== 'root' && groups(name).trim().includes(' ')) ?? 'nobody';
  expect((await runLine('/usr/bin/id -G', { user, env: { PATH: '/nowhere' } })).logged).toBe(groups(user));
});

test('an unknown user is refused for good', async () => {
  const { outcome } = await runLine('id', { user: 'no-such-user' });
  expect(outcome).toMatchObject({
    status: 'failed',
    retry: 'never',
    error: { message: expect.stringContaining('no user "no-such-user"'), fields: { code: 'user_unknown' } },
  });
});

test('a name that looks like an option is no user', async () => {
  const { outcome } = await runLine('id', { user: '--help' });
  expect(outcome).toMatchObject({ error: { fields: { code: 'user_unknown' } } });
});
