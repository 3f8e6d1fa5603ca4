import { expect, test } from 'vitest';
import { runLine } from './shell.ts';

test('a process gets a small base, the run, and nothing of the worker', async () => {
  const { logged } = await runLine('env | cut -d= -f1 | grep -vxE "PWD|OLDPWD|SHLVL|_" | sort');
  expect(logged.trim().split('\n')).toEqual([
    'ESCAPEMENT_ATTEMPT',
    'ESCAPEMENT_FENCE',
    'ESCAPEMENT_KEY',
    'ESCAPEMENT_LATENESS_MS',
    'ESCAPEMENT_ORIGIN',
    'ESCAPEMENT_PAYLOAD',
    'ESCAPEMENT_REQUESTED_BY',
    'ESCAPEMENT_RUN_ID',
    'ESCAPEMENT_SCHEDULED_FOR',
    'ESCAPEMENT_TASK',
    'HOME',
    'LANG',
    'LOGNAME',
    'PATH',
    'SHELL',
    'USER',
  ]);
});

test('a process knows its run', async () => {
  const { logged } = await runLine('echo $ESCAPEMENT_TASK $ESCAPEMENT_ATTEMPT $ESCAPEMENT_FENCE "$ESCAPEMENT_PAYLOAD"');
  expect(logged).toBe('nightly 2 7 {"kind":"IN"}\n');
});

test('a process knows how late it is, and who asked for it', async () => {
  const { logged } = await runLine('echo $ESCAPEMENT_LATENESS_MS $ESCAPEMENT_ORIGIN $ESCAPEMENT_REQUESTED_BY');
  expect(logged).toBe('1200 schedule ann@büro\n');
});

test('the task cannot pretend to be another run', async () => {
  const { logged } = await runLine('echo $ESCAPEMENT_FENCE', { env: { ESCAPEMENT_FENCE: '99' } });
  expect(logged).toBe('7\n');
});

const env = { TOKEN: { secret: 'API_TOKEN' } };

test('a secret reaches the process and is masked in its log and error', async () => {
  const secrets = (name: string) => (name === 'API_TOKEN' ? 'hunter2' : undefined);
  const { outcome, logged } = await runLine('echo "is $TOKEN"; test $TOKEN = hunter2 && exit 1', { env }, { secrets });
  expect(logged).toBe('is ***\n');
  expect(outcome).toMatchObject({ error: { fields: { lastLines: 'is ***' } } });
});

test('a secret written in two pieces is masked too', async () => {
  const { logged } = await runLine('printf hun; sleep 0.1; printf ter2', { env }, { secrets: () => 'hunter2' });
  expect(logged).toBe('***');
});

test('a secret that the worker lacks is a failure that no retry mends', async () => {
  const { outcome, logged } = await runLine('echo ran', { env });
  expect(outcome).toMatchObject({
    status: 'failed',
    retry: 'never',
    error: {
      message: expect.stringContaining('this worker has no secret "API_TOKEN"'),
      fields: { code: 'secret_missing' },
    },
  });
  expect(logged).toBe('');
});
