import { expect, test } from 'vitest';
import { spawnNode } from '../src/index.ts';

const entry = new URL('./echo-main.ts', import.meta.url);

test('a source file runs with the workspace packages from source', async () => {
  const child = spawnNode(entry, { args: ['hello'], env: { GREETING: 'good day' } });
  expect(await child.waitForLine('hello')).toBe('says hello, good day, 1000');
  expect(await child.terminate()).toEqual({ code: 3, signal: null });
  expect(child.lines.at(-1)).toBe('leaving');
});

test('a killed one is gone when kill returns, even a frozen one', async () => {
  const child = spawnNode(entry);
  await child.waitForLine('says');
  child.freeze();
  expect(await child.kill()).toEqual({ code: null, signal: 'SIGKILL' });
});

test('waiting for a line ends when the process does, and shows what it wrote', async () => {
  const child = spawnNode(entry);
  const waiting = child.waitForLine('never');
  await child.waitForLine('says');
  void child.terminate();
  await expect(waiting).rejects.toThrow(/ended \(3\) without a line with never; it wrote:\nsays/);
});
