import { type ChildProcess, spawn } from 'node:child_process';
import { built } from '@escapement/testkit';
import { afterEach, expect, test } from 'vitest';

const program = built(new URL('./flooding-process.ts', import.meta.url));

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
});

test('I11: a log that nobody reads neither stops a process nor keeps it from ending', async () => {
  const started = spawn(process.execPath, [program], {
    // Standard output is a pipe that is never read; what the process measures comes over its own channel.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child = started;
  const measured = new Promise<{ grownMiB: number }>((resolve) => started.on('message', resolve));
  const ended = new Promise<number | null>((resolve) => started.on('exit', (code) => resolve(code)));
  expect((await measured).grownMiB).toBeLessThan(64);
  expect(await ended).toBe(7);
});
