import { expect, test } from 'vitest';
import { runLine, startShell } from './shell.ts';

test('a line goes through the shell', async () => {
  const { outcome, logged } = await runLine('for i in 1 2; do echo "line $i"; done | sort -r');
  expect(outcome).toEqual({ status: 'succeeded', exitCode: 0 });
  expect(logged).toBe('line 2\nline 1\n');
});

test('stdout and stderr arrive in the order in which they were written', async () => {
  const { logged } = await runLine('for i in 1 2 3; do echo "out $i"; echo "err $i" >&2; done');
  expect(logged).toBe('out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n');
});

test('/dev/stderr can be opened by its name, as under cron', async () => {
  const { outcome, logged } = await runLine('echo a > /dev/stderr; echo b | tee /dev/stderr > /dev/null');
  expect(outcome.status).toBe('succeeded');
  expect(logged).toBe('a\nb\n');
});

test('the asked shell runs the line', async () => {
  const { logged } = await runLine('[[ $BASH_VERSION == [0-9]* ]] && echo $SHELL', { shell: '/bin/bash' });
  expect(logged).toBe('/bin/bash\n');
});

test('argv starts a program without a shell', async () => {
  const started = startShell({ argv: ['printf', '%s|', '$HOME', '*', 'a b'] });
  expect(await started.done).toMatchObject({ status: 'succeeded' });
  expect(started.logged()).toBe('$HOME|*|a b|');
});

test('standard input holds what the task says', async () => {
  const { logged } = await runLine('cat', { stdin: 'one\ntwo' });
  expect(logged).toBe('one\ntwo');
});

test('standard input is empty by default', async () => {
  const { outcome, logged } = await runLine('cat; echo end');
  expect(outcome.status).toBe('succeeded');
  expect(logged).toBe('end\n');
});

test('a process that does not read its input does no harm', async () => {
  const { outcome } = await runLine('exec 0<&-; exit 0', { stdin: 'x'.repeat(65_536) });
  expect(outcome).toEqual({ status: 'succeeded', exitCode: 0 });
});

test('the working directory is the asked one, else the home', async () => {
  expect((await runLine('pwd', { cwd: '/usr' })).logged).toBe('/usr\n');
  expect((await runLine('pwd', { cwd: undefined, env: { HOME: '/usr/lib' } })).logged).toBe('/usr/lib\n');
});

test('without its home a line runs in / and says so', async () => {
  const { outcome, logged } = await runLine('pwd', { cwd: undefined, env: { HOME: '/no/home' } });
  expect(outcome.status).toBe('succeeded');
  expect(logged).toBe('[escapement: the home directory /no/home does not exist; running in /]\n/\n');
});

test('each piece of output counts as a heartbeat', async () => {
  const run = startShell({ command: 'echo one; sleep 2; echo two' });
  expect(await run.done).toMatchObject({ status: 'succeeded' });
  expect(run.heartbeats()).toBeGreaterThanOrEqual(2);
});
