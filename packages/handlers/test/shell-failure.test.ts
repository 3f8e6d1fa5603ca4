import { constants } from 'node:os';
import { expect, test } from 'vitest';
import { signalName } from '../src/shell/signal-name.ts';
import { isAlive } from './processes.ts';
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

/** Those that end a program which does nothing about them. */
const STOPPING_OR_IGNORED = [
  'SIGCHLD',
  'SIGCONT',
  'SIGSTOP',
  'SIGTSTP',
  'SIGTTIN',
  'SIGTTOU',
  'SIGURG',
  'SIGWINCH',
].map((name) => Object.entries(constants.signals).find(([known]) => known === name)?.[1]);
const DEADLY = Array.from({ length: 64 }, (_, index) => index + 1).filter(
  (number) => !STOPPING_OR_IGNORED.includes(number),
);

test.runIf(process.platform === 'linux')('each of the 64 signals that kills a program is named', async () => {
  const ends = await Promise.all(
    DEADLY.map(async (number) => {
      const { outcome } = await runLine(`kill -${number} $$`);
      if (outcome.status !== 'failed') return [number, outcome.status];
      const named = outcome.error.message.includes(`killed by ${signalName(number)}`);
      return [number, outcome.status, named, outcome.work];
    }),
  );
  expect(ends).toEqual(DEADLY.map((number) => [number, 'failed', true, 'cut_off']));
});

test.runIf(process.platform === 'linux')(
  'a code above 128 is no signal, though a shell says so of its commands',
  async () => {
    const { outcome } = await runLine('exit 162');
    expect(outcome).toEqual({
      status: 'failed',
      exitCode: 162,
      error: {
        name: 'ProcessFailed',
        message: 'exited with code 162: a command in it was killed by SIGRTMIN',
        fields: {},
      },
    });
  },
);

test.runIf(process.platform === 'linux')('a signal to the whole group is reported too', async () => {
  for (const number of [15, 34, 64])
    expect((await runLine(`kill -${number} 0`)).outcome).toMatchObject({
      error: { message: `was killed by ${signalName(number)}` },
      work: 'cut_off',
    });
});

test.runIf(process.platform === 'linux')(
  'a program whose witness was killed is stopped, and did not succeed',
  async () => {
    for (const [number, words] of [
      [9, 'SIGKILL'],
      [33, 'a signal without a name'],
    ] as const) {
      const { outcome, logged } = await runLine(`echo $$; kill -${number} $PPID; sleep 600`);
      expect(outcome).toMatchObject({
        error: { message: expect.stringContaining(`was killed by ${words}`) },
        work: 'cut_off',
      });
      expect(isAlive(Number(logged))).toBe(false);
    }
  },
);

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
