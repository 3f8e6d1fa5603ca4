import { expect, test } from 'vitest';
import { isAlive } from './processes.ts';
import { startShell } from './shell.ts';

test('a process in the background that holds the output delays the end only briefly, and lives on', async () => {
  const run = startShell({ command: '(while :; do echo tick; sleep 0.02; done) & echo pid $!' }, { drainMs: 100 });
  expect(await run.done).toEqual({ status: 'succeeded', exitCode: 0 });
  const logged = run.logged();
  expect(logged).toContain('[escapement: a process in the background still holds the output');
  const pid = Number(/pid (\d+)/.exec(logged)?.[1]);
  try {
    expect(isAlive(pid)).toBe(true);
    expect(run.logged()).toBe(logged);
  } finally {
    process.kill(pid, 'SIGKILL');
  }
});

test('a daemon that closed its output delays nothing and lives on', async () => {
  const run = startShell({ command: 'setsid sleep 60 >/dev/null 2>&1 & echo pid $!' }, { drainMs: 60_000 });
  expect(await run.done).toEqual({ status: 'succeeded', exitCode: 0 });
  const pid = Number(/pid (\d+)/.exec(run.logged())?.[1]);
  try {
    expect(isAlive(pid)).toBe(true);
  } finally {
    process.kill(pid, 'SIGKILL');
  }
});
