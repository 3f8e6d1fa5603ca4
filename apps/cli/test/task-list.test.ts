import { newRunId, systemClock } from '@escapement/core';
import { pauseTask, resumeTask, saveTask } from '@escapement/operations';
import { findTask } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const handler = { type: 'http', url: 'https://shop.example/' } as const;
const ROOT = by('root');

async function task(
  name: string,
  { agesMs = [], states = [], ...more }: Record<string, unknown> & Runs,
): Promise<void> {
  await saveTask(db, { name, handler, ...more }, { source: name === 'report' ? 'code' : 'cli', by: ROOT });
  const { id } = (await findTask(db, name)) ?? {};
  const instants = agesMs.map((ms) => new Date(systemClock.now().getTime() - ms));
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit,
       overlap, pool, due_at, finished_at)
     SELECT i.id, i.at, 'default', $1, 1, 0, 'trigger', i.state, 'a reason', $2, 1, 'skip', 'default', i.at,
       CASE WHEN i.state NOT IN ('planned', 'held') THEN i.at END
     FROM unnest($3::uuid[], $4::timestamptz[], $5::text[]) AS i(id, at, state)`,
    [id, name, instants.map((at) => newRunId(at)), instants.map((at) => at.toISOString()), states],
  );
}

interface Runs {
  agesMs?: number[];
  states?: string[];
}

const MINUTE = 60_000;
const schedule = (expression: string) => ({ kind: 'cron', expression, timeZone: 'UTC' });
await task('backup', {
  labels: { team: 'ops', env: 'prod' },
  agesMs: [4, 3, 2, 1].map((n) => n * MINUTE),
  states: ['succeeded', 'superseded', 'missed', 'failed'],
  schedule: schedule('0 0 1 1 *'),
});
await task('report', {
  labels: { team: 'shop' },
  agesMs: Array.from({ length: 12 }, (_, n) => (12 - n) * 2 * MINUTE),
  states: [...Array.from({ length: 11 }, () => 'failed'), 'succeeded'],
  schedule: schedule('*/2 * * * *'),
});
await task('report_2', { pool: 'heavy', labels: { team: 'shop', env: 'test' } });
await pauseTask(db, 'report_2', null, ROOT);

const run = (...args: string[]) => runCli(args, { env });
const names = async (...args: string[]) =>
  JSON.parse((await run('tasks', 'list', ...args, '-o', 'json')).stdout).map(({ name }: { name: string }) => name);

test('a task has its last run, when that was, and how those before it went, the latest on the right', async () => {
  const { stdout } = await run('tasks', 'list');
  expect(stdout).toMatch(/^backup .* failed \S+Z \(\d+ min.* ago\) +\.MF /m);
  expect(stdout).toMatch(/^report .* succeeded \S+Z \(\d+ min.* ago\) +FFFFFFFFF\. /m);
  expect(stdout).toMatch(/^report_2 +by hand +- +- +http +heavy +cli +paused$/m);
  const [backup, , never] = JSON.parse((await run('tasks', 'list', '-o', 'json')).stdout);
  expect(backup).toMatchObject({
    name: 'backup',
    state: 'active',
    lastRun: { state: 'failed', reason: 'a reason', at: expect.stringMatching(/Z$/) },
    recentRuns: [{ state: 'failed' }, { state: 'missed' }, { state: 'succeeded' }],
  });
  expect(never).toMatchObject({ state: 'paused', lastRun: null, recentRuns: [] });
});

test('a list says how many failures have paused a task, `tasks show` which runs they were', async () => {
  const note = '5 runs in a row failed, the last 5: 01a2fb53-de20-712b-8863-ef344fd32123';
  await db.pool.query(
    `INSERT INTO task_pause (task_id, from_at, note, created_by, failures) SELECT id, now(), $1, 'run:x', 5 FROM task WHERE name = 'backup'`,
    [note],
  );
  expect((await run('tasks', 'list')).stdout).toMatch(/^backup .* paused \(5 failures\)$/m);
  expect((await run('tasks', 'show', 'backup')).stdout).toMatch(/^state: +paused: 5 runs in a row failed.*32123$/m);
  await resumeTask(db, 'backup', ROOT);
});

test.each([
  [['--pool', 'heavy'], ['report_2']],
  [['--source', 'code'], ['report']],
  [['--name', 'report_*'], ['report_2']],
  [['--name', 'r*t'], ['report']],
  [['--name', '?ackup'], ['backup']],
  [['--state', 'paused'], ['report_2']],
  [
    ['--state', 'active,paused'],
    ['backup', 'report', 'report_2'],
  ],
  [['--last', 'failed,missed'], ['backup']],
  [
    ['-l', 'team=shop'],
    ['report', 'report_2'],
  ],
  [['-l', 'team=shop', '-l', 'env=test|prod'], ['report_2']],
  [['-l', 'team=shop', '--last', 'open'], []],
  [
    ['--sort', 'next'],
    ['report', 'backup', 'report_2'],
  ],
  [
    ['--sort', 'last'],
    ['backup', 'report', 'report_2'],
  ],
  [
    ['--sort', 'failed'],
    ['report', 'backup', 'report_2'],
  ],
  [
    ['--sort', 'pool'],
    ['backup', 'report', 'report_2'],
  ],
])('tasks list %j', async (args, expected) => {
  expect(await names(...args)).toEqual(expected);
});

test('what is not a state, an order or a selector is refused with what is', async () => {
  const { code, stderr } = await run('tasks', 'list', '--state', 'failed');
  expect(code).toBe(2);
  expect(stderr).toContain('give one or more of active, paused, finished, unplannable, never_fires');
  expect(stderr).toContain('--last');
  expect((await run('tasks', 'list', '--sort', 'age')).code).toBe(2);
  expect((await run('tasks', 'list', '-l', 'team=a', '-l', 'team=b')).stderr).toContain('selects no labels');
  expect((await run('tasks', 'list', '--name', 'x*')).stderr).toBe('no task matches\n');
});

test('runs and statistics are chosen by the labels of their tasks', async () => {
  const runs = JSON.parse((await run('runs', 'list', '-l', 'team=ops,env=prod', '--limit', '3', '-o', 'json')).stdout);
  expect(runs.map(({ state }: { state: string }) => state)).toEqual(['failed', 'missed', 'superseded']);
  const { stdout } = await run('runs', 'list', '-l', 'team=ops', '--state', 'failed');
  expect(stdout.split('\n')).toHaveLength(3);
  const { tasks } = JSON.parse((await run('tasks', 'stats', '-l', 'team=shop', '-o', 'json')).stdout);
  expect(tasks.map(({ name }: { name: string }) => name)).toEqual(['report', 'report_2']);
});

test('a list that is watched is shown again until Ctrl-C', async () => {
  const stopped = new AbortController();
  const shown = await runCli(['tasks', 'list', '--watch', '1', '--name', 'backup'], {
    env,
    signal: stopped.signal,
    onWrite: (written) => {
      if (written.split('NAME').length > 2) stopped.abort();
    },
  });
  expect(shown.code).toBe(0);
  expect(shown.stdout.match(/^backup /gm)).toHaveLength(2);
});

test('a task whose schedule never fires is listed as such, until that is mended', async () => {
  const passed = { ...schedule('0 0 29 2 *'), endAt: '2020-01-01T00:00:00Z' };
  await task('leap-day', { schedule: passed });
  await task('closed', { schedule: passed });
  expect(await names('--state', 'never_fires')).toEqual(['closed', 'leap-day']);
  // An edit that leaves the schedule as it is does not make another one of it.
  await task('closed', { schedule: passed, description: 'It is closed.' });
  expect(await names('--state', 'never_fires')).toEqual(['closed', 'leap-day']);
  expect((await run('tasks', 'list', '--name', 'leap*')).stdout).toContain('never fires');
  expect((await run('tasks', 'show', 'leap-day')).stdout).toContain(
    'never fires: no instant of its schedule is to come',
  );
  await task('leap-day', { schedule: schedule('0 0 29 2 *') });
  await pauseTask(db, 'closed', null, ROOT);
  expect(await names('--state', 'never_fires')).toEqual([]);
});
