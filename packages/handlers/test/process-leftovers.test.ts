import { afterEach, expect, test } from 'vitest';
import { badHandlers } from './handler-processes.ts';
import { isAlive } from './processes.ts';

const handlers = await badHandlers();
const found: { pid: number } = await find();
afterEach(() => void handlers.events.splice(0));

async function find(): Promise<{ pid: number }> {
  const { outcome, logged } = handlers.run('finds');
  const ended = await outcome;
  expect(logged()).toMatch(/^\S+ INFO {2}looking\n$/);
  if (ended.status !== 'succeeded') throw new Error(JSON.stringify(ended));
  return ended.output as { pid: number };
}

async function leave(way: string): Promise<{ pid: number; logged: string }> {
  const { outcome, logged } = handlers.run('leaves', way);
  const ended = await outcome;
  expect(ended).toMatchObject({ status: 'succeeded', output: expect.any(Number) });
  return { pid: ended.status === 'succeeded' ? Number(ended.output) : 0, logged: logged() };
}

test('a run that leaves nothing is followed by others in its process, and nothing is said', async () => {
  const first = await leave('nothing');
  expect(first.logged).toBe('');
  expect((await leave('nothing')).pid).toBe(first.pid);
  expect(handlers.events).toEqual([]);
});

test.each([
  ['interval', 'a timer'],
  ['immediate', 'a setImmediate'],
  ['TZ', 'TZ in its environment'],
  ['process.env', 'process.env'],
  ['umask', 'the umask'],
  ['chdir', 'the working directory'],
  ['title', 'process.title'],
  ['exitCode', 'process.exitCode'],
  ['fetch', 'fetch'],
  ['Date', 'Date'],
  ['Date.now', 'Date.now'],
  ['JSON', 'JSON'],
  ['Promise', 'Promise'],
  ['setTimeout', 'setTimeout'],
  ['Array.prototype', 'Array.prototype.map'],
  ['Object.prototype', 'Object.prototype.mine'],
  ['Math.random', 'Math.random'],
  ['prepareStackTrace', 'Error.prepareStackTrace'],
  ['console.log', 'console.log'],
  ['readFileSync', 'fs.readFileSync'],
  ['process.exit', 'process.exit'],
  ['removed listeners', 'a listener of process to uncaughtException'],
  ['server', 'a server'],
  ['child', 'a child process'],
])('no other run meets %s of an earlier one, and it is said which task left it', async (way, words) => {
  const { pid, logged } = await leave(way);
  expect(logged).toContain('[escapement: this run leaves in its process: ');
  expect(logged).toContain(words);
  expect(handlers.events).toContainEqual({
    event: 'leftovers',
    run: expect.any(String),
    task: 'leaves',
    what: expect.arrayContaining([expect.stringContaining(words)]),
    then: expect.any(String),
  });
  const next = await find();
  expect(next.pid).not.toBe(pid);
  expect(next).toEqual({ ...found, pid: next.pid });
});

test.each([
  ['unref interval', 'a repeating timer (unref)'],
  ['listener', 'a listener of process to SIGTERM'],
  ['file', 'the open file /etc/hostname'],
  ['global', 'the global mine'],
])('a process that keeps %s of a task serves this task alone, until it leaves more', async (way, words) => {
  const { pid, logged } = await leave(way);
  expect(logged).toContain(`${words}; it serves this task alone from now on`);
  expect((await find()).pid).not.toBe(pid);
  expect((await leave('nothing')).pid).toBe(pid);
  if (way === 'global') return;
  const { pid: second, logged: again } = await leave(way);
  expect([second, again.includes('no other run comes into it')]).toEqual([pid, true]);
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test('what ends soon costs the process nothing but a wait', async () => {
  const { pid } = await leave('short timer');
  expect((await leave('nothing')).pid).not.toBe(pid);
  const ofTwo = async () => (await Promise.all([leave('nothing'), leave('nothing')])).map((each) => each.pid);
  await expect.poll(ofTwo).toContain(pid);
});

test('the same leftover of a task is said once', async () => {
  await leave('umask');
  expect((await leave('umask')).logged).toBe('');
});

test('what a run that has ended still reports is no report of the next one', async () => {
  await leave('asks');
  const { outcome, progress } = handlers.run('finds');
  await outcome;
  const next = handlers.run('leaves', 'nothing');
  await next.outcome;
  expect([progress(), next.progress()]).toEqual([[], []]);
});
