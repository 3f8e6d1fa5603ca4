import { saveTask } from '@escapement/operations';
import { beginRuns, findRun, finishRuns } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli, WHO } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });
const UUID = '019b0000-0000-7000-8000-000000000001';

/** The id of a run that has not begun. */
async function triggered(name: string): Promise<string> {
  await saveTask(db, { name, handler: { type: 'shell', command: 'true' } }, { source: 'cli', by: by('test') });
  return (await run('tasks', 'trigger', name)).stdout.trim();
}

/** Begins a run as a worker does; returns what ends it. */
async function begun(id: string) {
  const view = await findRun(db, id);
  if (!view) throw new Error('no run');
  const { scheduledFor, key } = view;
  const request = { runId: id, scheduledFor, dispatch: 1, beginId: UUID, key, slot: 1, worker: 'worker-1' };
  const [result] = await beginRuns(db, [request]);
  if (result?.kind !== 'begun') throw new Error('not begun');
  const seen = { state: 'running', dispatch: 1, attempt: 1 };
  return async (to: 'succeeded' | 'cancelled', reason: string | null) => {
    const verdict = { to, reason, lost: false, uncounted: false };
    await finishRuns(db, [{ runId: id, scheduledFor, seen, fence: null, finishId: UUID, verdict }]);
  };
}

test('a run that has not begun is cancelled at once, with who asked and why', async () => {
  const id = await triggered('planned');
  const { code, stdout } = await run('runs', 'cancel', id, '--reason', 'wrong payload');
  expect({ code, stdout }).toEqual({ code: 0, stdout: `run ${id} of planned is cancelled\n` });
  const shown = (await run('runs', 'show', id)).stdout;
  expect(shown).toMatch(new RegExp(`^reason: +cancelled by ${WHO} before it started: wrong payload$`, 'm'));
  expect(shown).toMatch(new RegExp(`^cancel asked: .* by ${WHO}: wrong payload$`, 'm'));
});

test('a running run is left to its worker; --wait ends with the run', async () => {
  const id = await triggered('running');
  const end = await begun(id);
  const waiting = run('runs', 'cancel', id, '--wait');
  await expect.poll(async () => (await findRun(db, id))?.cancelRequestedAt).toBeInstanceOf(Date);
  const { stdout } = await run('runs', 'cancel', id, '-o', 'json');
  expect(JSON.parse(stdout)).toEqual({ id, task: 'running', result: 'requested' });
  await end('cancelled', 'cancelled by ann while running');
  expect(await waiting).toMatchObject({ code: 0, stdout: 'cancelled: cancelled by ann while running\n' });
});

test('--wait ends with 1 if the run came to another end', async () => {
  const id = await triggered('quick');
  const end = await begun(id);
  const waiting = run('runs', 'cancel', id, '--wait');
  await expect.poll(async () => (await findRun(db, id))?.cancelRequestedAt).toBeInstanceOf(Date);
  await end('succeeded', null);
  expect(await waiting).toMatchObject({ code: 1, stdout: 'succeeded\n' });
});

test('a run that has ended is refused with its state', async () => {
  const id = await triggered('over');
  await (await begun(id))('succeeded', null);
  const refused = await run('runs', 'cancel', id);
  expect(refused).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(`run ${id} has already succeeded`),
  });
});

test.each([
  ['an unknown id', [UUID], /there is no run/],
  ['what is no id', ['nonsense'], /is not the id of a run/],
  ['a reason that is too long', [UUID, '--reason', 'x'.repeat(1001)], /1001 characters/],
])('%s is refused', async (_, args, message) => {
  expect(await run('runs', 'cancel', ...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

test('a run that is triggered for later waits, whatever becomes of its task, and is cancelled like others', async () => {
  await triggered('later');
  const { stdout, stderr } = await run('tasks', 'trigger', 'later', '--in', '2h');
  const id = stdout.trim();
  expect(stderr).toContain('it is due ');
  const view = await findRun(db, id);
  expect(view).toMatchObject({ state: 'planned', origin: 'trigger' });
  if (!view) throw new Error('no run');
  const { scheduledFor, key } = view;
  const early = { runId: id, scheduledFor, dispatch: 1, beginId: UUID, key, slot: 1, worker: 'worker-1' };
  expect(await beginRuns(db, [early])).toMatchObject([{ kind: 'early' }]);
  await run('tasks', 'edit', 'later', '--set', 'timeoutMs=5000');
  expect(await findRun(db, id)).toMatchObject({ state: 'planned' });
  expect((await run('runs', 'cancel', id)).stdout).toContain('is cancelled');
});

test.each([
  [['--at', '2020-01-01T00:00:00Z'], 'still to come'],
  [['--in', '500d'], 'at most 366 days ahead'],
  [['--in', 'soon'], '--in is "soon"'],
  [['--at', '2027-02-31'], '--at is "2027-02-31"'],
  [['--at', 'now', '--in', '1h'], 'both given'],
])('%s is refused', async (options, words) => {
  await triggered('never');
  const { code, stderr } = await run('tasks', 'trigger', 'never', ...options);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});
