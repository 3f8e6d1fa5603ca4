import { expect, test } from 'vitest';
import { runLine, startShell } from './shell.ts';

test('the exit code and the last lines are in the outcome', async () => {
  const { outcome } = await runLine('echo start; echo "disk full" >&2; exit 3');
  expect(outcome).toEqual({
    status: 'failed',
    exitCode: 3,
    error: { name: 'ProcessFailed', message: 'exited with code 3', fields: { lastLines: 'start\ndisk full' } },
  });
});

test('a missing command is explained', async () => {
  const { outcome } = await runLine('no-such-command-here');
  expect(outcome).toMatchObject({
    exitCode: 127,
    error: { message: expect.stringContaining('not found (PATH was /usr') },
  });
});

test('a signal is named', async () => {
  const { outcome } = await runLine('kill -USR1 $$');
  expect(outcome).toMatchObject({ error: { message: 'was killed by SIGUSR1', fields: { signal: 'SIGUSR1' } } });
});

test.each([
  [{ argv: ['no-such-program'] }, 'the program no-such-program was not found on this worker'],
  [{ argv: ['/etc/passwd'] }, 'the program /etc/passwd cannot be executed'],
  [{ command: 'true', shell: '/bin/no-shell' }, 'the program /bin/no-shell was not found'],
  [{ command: 'true', cwd: '/no/such' }, 'the working directory /no/such does not exist'],
])('%j cannot start and says why', async (spec, message) => {
  expect(await startShell(spec).done).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining(message) },
  });
});

test('a NUL in an argument is refused, not thrown', async () => {
  expect(await startShell({ argv: ['echo', 'a\0b'] }).done).toMatchObject({ status: 'failed' });
});

test('a worker that may not run shell tasks refuses, for good, and says what to do', async () => {
  const { outcome, logged } = await runLine('echo ran', {}, { allow: false });
  expect(outcome).toMatchObject({
    status: 'failed',
    retry: 'never',
    error: {
      message: expect.stringMatching(/does not run shell tasks; allow them/),
      fields: { code: 'shell_not_allowed' },
    },
  });
  expect(logged).toBe('');
});
