import { saveTask, triggerTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import { built, by, eventually, testDatabase, testRedis } from '@escapement/testkit';
import { afterAll, expect, test } from 'vitest';
import { START_MS, startProgram } from './fleet.ts';

// One pool whose workers differ, as a user has it: one may use the shell, two have tasks of their own, one has nothing.

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());
const env = {
  DATABASE_URL: url,
  REDIS_URL: (await testRedis()).url,
  ESCAPEMENT_HEALTH_PORT: '0',
  ESCAPEMENT_CONCURRENCY: '4',
};

const start = (app: 'scheduler' | 'worker', more: Record<string, string> = {}) =>
  startProgram(app, { ...env, ...more });

const withCode = (release: 'one' | 'two') =>
  start('worker', {
    ESCAPEMENT_TASKS: built(new URL(`./mixed/${release}`, import.meta.url)),
    ESCAPEMENT_RELEASE: release,
    ESCAPEMENT_APP: 'shop',
  });

interface Ended {
  task: string;
  state: string;
  attempt: number;
  dispatch: number;
  pid: number;
  output: unknown;
}

/** Runs of these tasks, one after the other by turns, once all have ended. */
async function ended(tasks: readonly string[], rounds: number): Promise<Ended[]> {
  const ids: string[] = [];
  for (let round = 0; round < rounds; round++)
    for (const task of tasks) ids.push(await triggerTask(db, task, { by: by('test') }));
  return await eventually(async () => {
    const { rows } = await db.pool.query<Ended>(
      `SELECT t.name AS task, r.state, r.attempt, r.dispatch, p.pid, r.output FROM run r JOIN task t ON t.id = r.task_id
       LEFT JOIN process p ON p.id = r.worker WHERE r.id = ANY ($1::uuid[]) AND r.finished_at IS NOT NULL`,
      [ids],
    );
    expect(rows).toHaveLength(ids.length);
    return rows;
  }, START_MS);
}

/** Each task with the processes that ran it, and how its runs ended. */
function placed(runs: readonly Ended[]): Record<string, { by: number[]; ends: string[] }> {
  const of = (task: string) => runs.filter((run) => run.task === task);
  const names = [...new Set(runs.map(({ task }) => task))].toSorted();
  return Object.fromEntries(
    names.map((task) => [
      task,
      {
        by: [...new Set(of(task).map(({ pid }) => pid))],
        ends: [...new Set(of(task).map(({ state, attempt }) => `${state} ${attempt}`))],
      },
    ]),
  );
}

test('each run goes to a worker that can do it, also when one is handed over to the next of its key', {
  timeout: 180_000,
}, async () => {
  await start('scheduler');
  const [bare, shell, one] = await Promise.all([
    start('worker'),
    start('worker', { ESCAPEMENT_ALLOW_SHELL: 'true' }),
    withCode('one'),
  ]);
  const line = {
    name: 'line',
    key: 'shared',
    overlap: 'wait-all',
    handler: { type: 'shell', command: 'true' },
  } as const;
  await saveTask(db, line, { source: 'test', by: by('test') });
  const runs = await ended(['line', 'first', 'both'], 12);
  expect(placed(runs)).toEqual({
    both: { by: [one.pid], ends: ['succeeded 1'] },
    first: { by: [one.pid], ends: ['succeeded 1'] },
    line: { by: [shell.pid], ends: ['succeeded 1'] },
  });
  expect([shell.pid, one.pid]).not.toContain(bare.pid);

  // Another release joins: both serve the queue of their code, and each has tasks that the other lacks.
  const two = await withCode('two');
  const mixed = await ended(['first', 'second', 'line', 'both'], 4);
  expect(placed(mixed)).toEqual({
    both: { by: expect.any(Array), ends: ['succeeded 1'] },
    first: { by: [one.pid], ends: ['succeeded 1'] },
    line: { by: [shell.pid], ends: ['succeeded 1'] },
    second: { by: [two.pid], ends: ['succeeded 1'] },
  });
});
