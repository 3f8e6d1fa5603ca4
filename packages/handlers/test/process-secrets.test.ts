import { expect, test } from 'vitest';
import { badHandlers } from './handler-processes.ts';

const handlers = await badHandlers({ secrets: (name) => (name === 'SHOP_KEY' ? 'hunter22' : undefined) });

async function pidOf(outcome: Promise<unknown>): Promise<number> {
  const { output } = (await outcome) as { output: { pid: number } };
  return output.pid;
}

test('a task is given the secrets that it declares, masked in its log, and not by its environment', async () => {
  const { outcome, logged } = handlers.run('takes-secret');
  expect(await outcome).toEqual({ status: 'succeeded', output: { pid: expect.any(Number), length: 8, inEnv: false } });
  expect(logged()).toContain('the key is ***');
});

test('a process that was given secrets serves one task, and never had the code of another in it', async () => {
  const before = await pidOf(handlers.run('well-behaved').outcome);
  const [first, second] = [
    await pidOf(handlers.run('takes-secret').outcome),
    await pidOf(handlers.run('takes-secret').outcome),
  ];
  expect(second).toBe(first);
  expect(first).not.toBe(before);
  const others = await Promise.all([1, 2, 3].map(() => pidOf(handlers.run('well-behaved').outcome)));
  expect(others).not.toContain(first);
});

test('a task of the same user opens no debugger in a process that has secrets', async () => {
  const { outcome, logged } = handlers.run('is-signalled');
  expect(await outcome).toEqual({ status: 'succeeded', output: { isOpen: false } });
  // Where its port is taken Node says so.
  expect(logged()).not.toMatch(/debugger|inspector/i);
});

test('a worker that lacks the secret says so, for good', async () => {
  const poor = await badHandlers();
  expect(await poor.run('takes-secret').outcome).toMatchObject({
    status: 'failed',
    retry: 'never',
    error: { message: expect.stringContaining('no secret "SHOP_KEY"'), fields: { code: 'secret_missing' } },
  });
});
