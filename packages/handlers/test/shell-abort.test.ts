import { expect, test } from 'vitest';
import { isAlive } from './processes.ts';
import { startShell } from './shell.ts';

function pidsIn(logged: string): number[] {
  return [...logged.matchAll(/pid (\d+)/g)].map((match) => Number(match[1]));
}

test('an abort ends the whole group, grandchildren too', async () => {
  const run = startShell({
    command: 'sleep 600 & echo pid $!; sh -c "sleep 601 & echo pid \\$! both; wait"; echo never',
  });
  await run.said('both');
  expect(pidsIn(run.logged())).toHaveLength(2);
  run.abort('timeout');
  expect(await run.done).toMatchObject({
    status: 'failed',
    error: {
      name: 'Aborted',
      message: 'stopped because its time limit was reached (the process was killed by SIGTERM)',
    },
  });
  expect(pidsIn(run.logged()).filter(isAlive)).toEqual([]);
});

test('what ignores SIGTERM gets SIGKILL', async () => {
  const run = startShell({ command: 'trap "" TERM; echo ready; while :; do sleep 0.05; done' }, { killAfterMs: 200 });
  await run.said('ready');
  run.abort('cancelled');
  expect(await run.done).toMatchObject({ error: { message: expect.stringContaining('was killed by SIGKILL') } });
});

test('a grandchild that outlives its leader is killed before the run counts as over', async () => {
  const line = 'sh -c \'trap "" TERM; echo pid $$; while :; do sleep 0.05; done\' & sleep 600';
  const run = startShell({ command: line }, { killAfterMs: 500 });
  await run.said('pid');
  run.abort('shutdown');
  await run.done;
  expect(pidsIn(run.logged())).toHaveLength(1);
  // At this very instant: the key is free from now on.
  expect(pidsIn(run.logged()).filter(isAlive)).toEqual([]);
});

test('a grandchild may tidy up after its leader has ended, and the run is over only then', async () => {
  const line =
    'sh -c \'trap "sleep 0.3; echo tidied; exit 0" TERM; echo pid $$; while :; do sleep 0.05; done\' & sleep 600';
  const run = startShell({ command: line }, { killAfterMs: 20_000 });
  await run.said('pid');
  run.abort('shutdown');
  expect(await run.done).toMatchObject({ error: { message: expect.stringContaining('was killed by SIGTERM') } });
  expect(run.logged()).toContain('tidied\n');
  expect(pidsIn(run.logged()).filter(isAlive)).toEqual([]);
});

test('a process may tidy up on SIGTERM, and its words are kept', async () => {
  const run = startShell({ command: 'trap "echo tidied; exit 0" TERM; echo ready; while :; do sleep 0.05; done' });
  await run.said('ready');
  run.abort('shutdown');
  expect(await run.done).toMatchObject({ status: 'failed', exitCode: 0, error: { name: 'Aborted' } });
  expect(run.logged()).toMatch(/^ready\n(Terminated\n)?tidied\n$/);
});

test('a stopped process is ended too', async () => {
  const run = startShell({ command: 'echo pid $$; kill -STOP $$; echo never' });
  await run.said('pid');
  run.abort('timeout');
  expect(await run.done).toMatchObject({ error: { message: expect.stringContaining('killed by SIGTERM') } });
});

test('an abort that came before the start starts nothing', async () => {
  const run = startShell({ command: 'echo ran' });
  run.abort('lease_lost');
  expect(await run.done).toMatchObject({
    status: 'failed',
    error: { name: 'Aborted', message: 'not started because the lease of its key was lost' },
  });
  expect(run.logged()).toBe('');
});

test('a zombie that nobody asks for does not hold the run', async () => {
  // Its parent has left the group and does not wait for it, as a process 1 that reaps late does.
  const parent = 'sleep 600 & exec setsid sh -c "echo pid \\$\\$ left; exec sleep 601"';
  const run = startShell({ command: `sh -c '${parent}' & wait` }, { killAfterMs: 600_000 });
  await run.said('left');
  run.abort('cancelled');
  expect(await run.done).toMatchObject({ error: { name: 'Aborted' } });
  for (const pid of pidsIn(run.logged())) process.kill(pid, 'SIGKILL');
});
