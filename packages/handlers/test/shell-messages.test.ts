import type { TaskState } from '@escapement/core';
import { expect, test } from 'vitest';
import { runLine, startShell } from './shell.ts';

async function runStateful(command: string, state: TaskState) {
  const started = startShell({ command }, {}, { state });
  return { outcome: await started.done, logged: started.logged() };
}

test('a program reads its state from descriptor 4, and says what is to be kept on descriptor 3', async () => {
  const { outcome, logged } = await runStateful(
    'old=$(cat <&4); echo "was $old"; echo "{\\"state\\": $((old + 1)), \\"output\\": \\"done\\"}" >&3',
    { value: 41, version: 3, shape: 1 },
  );
  expect(logged).toBe('was 41\n');
  expect(outcome).toEqual({
    status: 'succeeded',
    exitCode: 0,
    output: 'done',
    effects: { state: { value: 42, version: 3, shape: 1 } },
  });
});

test('before there is a state it reads null; who never reads is not held up, however large it is', async () => {
  expect((await runStateful('cat <&4', { version: 0, shape: 0 })).logged).toBe('null');
  const large = { value: 'x'.repeat(250_000), version: 1, shape: 1 };
  expect((await runStateful('true', large)).outcome.status).toBe('succeeded');
  expect((await runStateful('wc -c <&4', large)).logged.trim()).toBe('250002');
});

test('a program that fails leaves nothing', async () => {
  const { outcome } = await runStateful('echo \'{"state": 1}\' >&3; exit 3', { version: 0, shape: 0 });
  expect(outcome).toMatchObject({ status: 'failed', exitCode: 3 });
  expect(outcome).not.toHaveProperty('effects');
});

test('a program of a task that did not ask for it has no descriptor 3', async () => {
  const { outcome, logged } = await runLine('echo hello >&3');
  expect(outcome.status).toBe('failed');
  expect(logged).toMatch(/Bad file descriptor|bad file descriptor|3/);
});

test('a process in the background that holds descriptor 3 does not hold the run', async () => {
  const command = 'echo \'{"output": 1}\' >&3; sleep 60 & echo $!';
  const { outcome, logged } = await runLine(command, { messages: true }, { drainMs: 50 });
  process.kill(Number.parseInt(logged, 10));
  expect(outcome).toMatchObject({ status: 'succeeded', output: 1 });
});
