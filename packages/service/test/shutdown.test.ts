import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { built } from '@escapement/testkit';
import { afterEach, expect, test } from 'vitest';

const program = built(new URL('./stopping-process.ts', import.meta.url));

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
});

/** Starts the process; `said` resolves when it logs the message. */
function start(mode: string) {
  const started = spawn(process.execPath, [program, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  const messages: string[] = [];
  let listeners: (() => void)[] = [];
  createInterface({ input: started.stdout }).on('line', (line) => {
    messages.push(JSON.parse(line).msg);
    for (const listener of listeners) listener();
  });
  const said = (message: string) =>
    new Promise<void>((resolve) => {
      const look = () => messages.includes(message) && resolve();
      listeners = [...listeners, look];
      look();
    });
  const ended = new Promise<number | null>((resolve) => started.on('close', (code) => resolve(code)));
  return { child: started, messages, said, ended };
}

test('SIGTERM ends a process with exit 0, its last lines written', async () => {
  const { child, said, ended, messages } = start('well');
  await said('ready');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(messages).toEqual(['ready', 'stopping', 'stopped']);
});

test('a second signal ends a process that hangs in its stop', async () => {
  const { child, said, ended } = start('never');
  await said('ready');
  child.kill('SIGTERM');
  await said('stopping');
  child.kill('SIGTERM');
  expect(await ended).toBe(143);
});

test('a rejection that nobody caught is logged, and ends the process with exit 1', async () => {
  const { ended, messages } = start('stray');
  expect(await ended).toBe(1);
  expect(messages).toContain('error that nobody caught');
  expect(messages).toContain('stopped');
});
