import { saveTask, triggerTask } from '@escapement/operations';
import { writeHeartbeat } from '@escapement/store';
import { by } from '@escapement/testkit';
import { beforeEach, expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });
const RUN = '019b0000-0000-7000-8000-000000000001';
const worker = { role: 'worker', host: 'h', pid: 1, appVersion: '1', pools: ['default'], offers: ['shell'] } as const;
const lives = (id: string, activeRuns: string[] = []) =>
  writeHeartbeat(db, { ...worker, id }, { activeRuns, clockOffsetMs: 0 });

beforeEach(async () => {
  await lives('worker-a');
  await lives('worker-b');
});

test('a worker is drained by how its name begins, and the list says since when, by whom and why', async () => {
  expect((await run('workers', 'list')).stdout).toMatch(/^worker-a +- +h +1 +default +\S+ +0 +active$/m);
  const asked = await run('workers', 'drain', 'worker-a', '--reason', 'new kernel');
  expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('worker-a takes nothing new from its next') });
  expect((await lives('worker-a', [RUN])).heldPools).toEqual(['default']);
  expect((await lives('worker-b')).heldPools).toEqual([]);
  expect((await run('workers', 'list')).stdout).toMatch(/^worker-a .* 1 +draining since \S+, by \S+: new kernel$/m);
  await lives('worker-a');
  await lives('worker-a');
  const empty = await run('workers', 'drain', 'worker-a', '--wait');
  expect(empty.stdout).toBe('worker-a is empty: it takes nothing new and holds no run\n');
  expect((await run('workers', 'list')).stdout).toMatch(/drained, empty since/);
});

test('runs that only a drained worker could take say so', async () => {
  await saveTask(db, { name: 'dump', handler: { type: 'shell', command: 'x' } }, { source: 'cli', by: by('test') });
  const id = await triggerTask(db, 'dump', { by: by('test') });
  await run('workers', 'drain', 'worker-b');
  const shown = (await run('runs', 'show', id)).stdout;
  expect(shown).toContain(
    'worker-a, worker-b of the pool "default" are being drained, and no other worker can take it',
  );
  expect(shown).toContain('`escapement workers resume worker-a`, or start a worker');
  expect((await run('workers', 'resume', 'worker-b')).stdout).toBe('worker-b takes runs again\n');
  expect((await run('workers', 'resume', 'worker-b')).stdout).toBe('worker-b was not being drained\n');
  expect((await lives('worker-b')).heldPools).toEqual([]);
  expect((await run('runs', 'show', id)).stdout).not.toContain('being drained');
});

test.each([
  ['worker', 'ambiguous_worker', '2 workers begin with "worker"'],
  ['worker-q', 'unknown_worker', 'did you mean worker-'],
])('a worker "%s" is refused: %s', async (name, _code, words) => {
  const { code, stderr } = await run('workers', 'drain', name);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});
