import { expect, test } from 'vitest';
import { badHandlers } from './handler-processes.ts';
import { isAlive } from './processes.ts';

const handlers = await badHandlers({ killAfterMs: 1000 });

async function pidOf(outcome: Promise<unknown>): Promise<number> {
  const { output } = (await outcome) as { output: { pid: number } };
  return output.pid;
}

test('a handler has the same context as inline, in another process, which is used again', async () => {
  const { outcome, logged } = handlers.run('well-behaved', { a: [1] });
  expect(await outcome).toEqual({
    status: 'succeeded',
    output: { pid: expect.any(Number), payload: { a: [1] }, day: '2025-01-01T00:00:00.000Z', attempt: 2 },
  });
  expect(logged()).toMatch(/^\S+Z INFO {2}hello {"fence":"7","aborted":false}\n/);
  expect(logged()).toContain('from standard output\n');
  const pid = await pidOf(outcome);
  expect(pid).not.toBe(process.pid);
  expect(await pidOf(handlers.run('well-behaved').outcome)).toBe(pid);
});

test('the limits of a run begin when its handler is called', async () => {
  const { begun, said, outcome, abort } = handlers.run('blocks');
  await Promise.all([begun, said('about to block')]);
  abort('timeout');
  expect(await outcome).toMatchObject({ work: 'cut_off' });
});

test('secrets of the worker are masked in what a process says', async () => {
  const masking = await badHandlers({ secretValues: ['from standard'] });
  const { outcome, logged } = masking.run('well-behaved');
  await outcome;
  expect(logged()).toContain('*** output\n');
  expect(logged()).not.toContain('from standard');
});

test('runs side by side have processes of their own', async () => {
  const pids = await Promise.all([1, 2, 3].map(() => pidOf(handlers.run('well-behaved').outcome)));
  expect(new Set(pids).size).toBe(3);
});

test('a handler that blocks its loop is heard until then, told of, and killed on its abort', async () => {
  const { outcome, said, abort, logged } = handlers.run('blocks');
  await said('about to block');
  await said('blocking its event loop');
  abort('timeout');
  expect(await outcome).toMatchObject({
    status: 'failed',
    work: 'cut_off',
    error: {
      name: 'Killed',
      message: expect.stringMatching(
        /^was killed 1 s after it was told to stop because its time limit was reached; its event loop was blocked for \d/,
      ),
    },
  });
  expect(logged()).toMatch(/^\d+ is about to block\n\[escapement: the handler has been blocking its event loop for \d/);
  expect(handlers.events).toContainEqual(expect.objectContaining({ event: 'loop_blocked', where: 'handler' }));
});

test.each(['eats-heap', 'eats-buffers'])('a handler that %s is told of its memory limit', async (task) => {
  expect(await handlers.run(task).outcome).toMatchObject({
    status: 'failed',
    work: 'cut_off',
    error: {
      name: 'OutOfMemory',
      message: expect.stringMatching(/^allocated more than its memory limit of 64 MB( \(its process held \d+ MB\))?/),
    },
  });
});

test.each([
  ['throws', 'thrown outside its promise: tray 2 is empty'],
  ['rejects', 'rejected in a promise that nobody waited for: tray 2 is empty'],
])('an error that a handler %s outside its promise is its own', async (how, message) => {
  expect(await handlers.run('throws-outside', how).outcome).toMatchObject({
    status: 'failed',
    work: 'cut_off',
    error: { name: 'NoPaper', message, fields: { tray: 2 }, stack: expect.stringContaining('throws-outside.ts') },
  });
});

test('a call of process.exit fails the run, with its code and what was logged before', async () => {
  const { outcome, logged } = handlers.run('exits');
  expect(await outcome).toMatchObject({
    status: 'failed',
    exitCode: 3,
    work: 'cut_off',
    error: { name: 'ProcessExit', message: expect.stringContaining('called process.exit(3)') },
  });
  expect(logged()).toMatch(/leaving\n$/);
});

test('a process that is killed fails its run, and the next one has a new process', async () => {
  expect(await handlers.run('exits', 'kill').outcome).toMatchObject({
    status: 'failed',
    work: 'cut_off',
    error: { message: 'its process ended by SIGKILL, perhaps for lack of memory before the handler did' },
  });
  expect(await handlers.run('well-behaved').outcome).toMatchObject({ status: 'succeeded' });
});

test('a process that died idle costs no run', async () => {
  const pid = await pidOf(handlers.run('well-behaved').outcome);
  process.kill(pid, 'SIGKILL');
  expect(await pidOf(handlers.run('well-behaved').outcome)).not.toBe(pid);
});

test.each(['log', 'console'])('100 MB of output by %s are capped, and grow no memory', async (way) => {
  const before = process.memoryUsage().rss;
  const { outcome, logged } = handlers.run('floods', way);
  const result = await outcome;
  expect(result).toMatchObject({ status: 'succeeded' });
  expect(logged().length).toBeLessThan(10.2 * 1024 * 1024);
  expect(/\[escapement: \d+ characters left out here; the cap is/.test(logged())).toBe(true);
  expect(logged().endsWith('the last line\n')).toBe(true);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
});

test('a handler that ignores its abort is killed with all that it started', async () => {
  const { outcome, said, abort, logged } = handlers.run('stubborn');
  await said('started');
  const [own = 0, helper = 0] = /started (\d+) (\d+)/.exec(logged())?.slice(1).map(Number) ?? [];
  expect([own, helper].map(isAlive)).toEqual([true, true]);
  abort('cancelled');
  await said('told: cancelled');
  expect(await outcome).toMatchObject({ status: 'failed', error: { name: 'Killed' } });
  await expect.poll(() => [own, helper].map(isAlive)).toEqual([false, false]);
});

test('what an earlier run left behind does not fail the run that is on, but is the end of the process', async () => {
  const first = await handlers.run('leaves-behind', 'leave').outcome;
  const { outcome, logged } = handlers.run('leaves-behind');
  expect(await outcome).toEqual(first);
  expect(logged()).toMatch(/nightly, which ended here before: thrown outside its promise: left behind/);
  const { outcome: third } = handlers.run('leaves-behind', 'leave');
  expect(await third).not.toEqual(first);
});

test('heartbeats and progress reach the worker, the latest of many', async () => {
  const { outcome, progress, heartbeats } = handlers.run('reports');
  expect(await outcome).toMatchObject({ status: 'succeeded' });
  expect(progress()).toEqual([1000, 1000, 'step 1000']);
  expect(heartbeats()).toBeLessThan(100);
});
