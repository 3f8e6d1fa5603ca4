import { newRunId } from '@escapement/core';
import { by, lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { openDatabase } from '../src/index.ts';
import { ago, deleteNow, MINUTE, makeTask, type QueuedFixture, queueRuns } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
afterAll(() => one.close());

interface Failing {
  taskId: string;
  runs: QueuedFixture[];
}

/** A task that is paused after so many failures, with runs, the oldest first, in these states; `failed trigger`: and of that origin. */
async function failing(name: string, most: number, states: readonly string[]): Promise<Failing> {
  const taskId = await makeTask(one, { name, pauseAfterFailures: most });
  const ages = states.map((_, index) => (states.length - index) * MINUTE);
  const runs = await queueRuns(
    one,
    ages.map((ageMs) => ({ taskId, key: name, ageMs })),
  );
  for (const [index, each] of states.entries()) {
    const [state, origin = 'schedule'] = each.split(' ');
    await setRun(runs[index], `state = '${state}', origin = '${origin}', reason = 'so', finished_at = now()`);
  }
  return { taskId, runs };
}

const setRun = (run: QueuedFixture | undefined, set: string) =>
  one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run?.runId]);

const pauseFailing = (tasks: readonly string[], namespace = 'default') =>
  one.pool.query('SELECT pause_failing($1, $2)', [namespace, tasks]);

/** The notes of the pauses that this has made. */
async function notes({ taskId }: Failing): Promise<string[]> {
  const { rows } = await one.pool.query(
    `SELECT note FROM task_pause WHERE task_id = $1 AND created_by LIKE 'run:%' ORDER BY from_at`,
    [taskId],
  );
  return rows.map(({ note }) => note);
}

async function isPaused(task: Failing): Promise<boolean> {
  await pauseFailing([task.taskId]);
  return (await notes(task)).length > 0;
}

const pause = ({ taskId }: Failing, from: string, until: Date | null, failures: number | null) =>
  one.pool.query(
    `INSERT INTO task_pause (task_id, from_at, until_at, created_by, failures) VALUES ($1, ${from}, $2, 'ann', $3)`,
    [taskId, until, failures],
  );

it('only tasks that are named are paused, of this namespace, and that are not deleted', async () => {
  const [named, beside, gone] = [
    await failing('named', 1, ['failed']),
    await failing('beside', 1, ['failed']),
    await failing('gone', 1, ['failed']),
  ];
  await deleteNow(one, 'gone', by('test'));
  await pauseFailing([named.taskId], 'other');
  expect(await notes(named)).toEqual([]);
  await pauseFailing([named.taskId, gone.taskId]);
  expect([await notes(named), await notes(beside), await notes(gone)]).toEqual([
    [`run ${named.runs[0]?.runId} failed`],
    [],
    [],
  ]);
});

it('the last failures are named, of whatever kind', async () => {
  const task = await failing('kinds', 2, ['failed', 'timed_out', 'quarantined', 'failed', 'timed_out']);
  await pauseFailing([task.taskId]);
  const [a, b] = task.runs.slice(-2).map(({ runId }) => runId);
  expect(await notes(task)).toEqual([`2 runs in a row failed: ${a}, ${b}`]);
});

it('of more than five failures the note says that it names the last five', async () => {
  for (const most of [5, 6]) {
    const task = await failing(`many-${most}`, most, Array(most).fill('failed'));
    await pauseFailing([task.taskId]);
    const last = task.runs.slice(-5).map(({ runId }) => runId);
    const how = most > 5 ? ', the last 5' : '';
    expect(await notes(task)).toEqual([`${most} runs in a row failed${how}: ${last.join(', ')}`]);
  }
});

it('failures count from the very instant at which the last such pause ended, a pause by a person changes nothing', async () => {
  const task = await failing('resumed', 2, ['failed', 'failed', 'failed']);
  const [first, second, third] = task.runs.map(({ scheduledFor }) => scheduledFor);
  await pause(task, `now() - interval '2 h'`, first ?? null, 2);
  await pause(task, `now() - interval '1 h'`, third ?? null, 2);
  expect(await isPaused(task)).toBe(false);
  await one.pool.query('UPDATE task_pause SET until_at = $2 WHERE task_id = $1 AND until_at = $3', [
    ...[task.taskId, second, third],
  ]);
  await pause(task, `now() - interval '1 h'`, ago(0), null);
  expect(await isPaused(task)).toBe(true);
});

it('a task is paused that is to be paused without end later on, not one that is so already', async () => {
  const [later, already] = [await failing('later', 1, ['failed']), await failing('already', 1, ['failed'])];
  await pause(later, `now() + interval '1 h'`, null, null);
  await pause(already, `now() - interval '1 h'`, null, null);
  expect([await isPaused(later), await isPaused(already)]).toEqual([true, false]);
});

it.each([
  { name: 'trigger-fails', states: ['failed', 'failed trigger'], paused: false },
  { name: 'occurrence-succeeds', states: ['failed', 'succeeded', 'failed'], paused: false },
  { name: 'rerun-succeeds', states: ['failed', 'succeeded rerun', 'failed'], paused: false },
  { name: 'trigger-succeeds', states: ['failed', 'succeeded trigger', 'failed'], paused: true },
])('after two failures in a row: where there was $states, it is $paused that the task is paused', async (given) => {
  expect(await isPaused(await failing(given.name, 2, given.states))).toBe(given.paused);
});

/** A run of the task that it has decided to be its next, due in an hour; `set`: what else is true of it. */
async function nextOf(task: Failing, ordinal: number, set = 'attempt = 0'): Promise<string> {
  const id = newRunId(ago(-60 * MINUTE));
  await one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool,
       due_at, ordinal)
     SELECT $2, date_trunc('hour', now()) + interval '2 h', namespace, task_id, task_version, plan_epoch, 'chain', 'queued', 'next',
       key_limit, overlap, pool, due_at, $3 FROM run WHERE id = $1`,
    [task.runs[0]?.runId, id, ordinal],
  );
  await one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [id]);
  return id;
}

it('the run that the task has decided to be its next is skipped, and no other one', async () => {
  const [task, beside] = [await failing('next', 1, ['failed']), await failing('next-not', 1, ['failed'])];
  const next = await nextOf(task, -1);
  const planned = await nextOf(task, -1, `state = 'planned'`);
  const left = [
    await nextOf(beside, -1),
    await nextOf(task, 0),
    await nextOf(task, -1, `origin = 'trigger'`),
    await nextOf(task, -1, 'attempt = 1'),
    await nextOf(task, -1, `state = 'waiting', waiting_since = now()`),
    await nextOf(task, -1, `scheduled_for = now() - interval '1 min'`),
  ];
  const locked = await nextOf(task, -1);
  const held = await lockRows(url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', [locked]);
  await pauseFailing([task.taskId]);
  await held.release();
  const { rows } = await one.pool.query(
    `SELECT id, reason FROM run WHERE id = ANY ($1) AND state = 'skipped' AND finished_at IS NOT NULL ORDER BY id`,
    [[next, planned, locked, ...left]],
  );
  const reason = `paused: run ${task.runs[0]?.runId} failed`;
  expect(rows).toEqual([next, planned].sort().map((id) => ({ id, reason })));
});

it('the schedulers are told', async () => {
  const task = await failing('told', 1, ['failed']);
  const client = await one.pool.connect();
  const heard: string[] = [];
  client.on('notification', ({ payload }) => heard.push(payload ?? ''));
  try {
    await client.query('LISTEN escapement_wake');
    await client.query('SELECT pause_failing($1, $2)', ['default', [task.taskId]]);
    // What was sent before comes with the answer to this.
    await client.query('SELECT 1');
  } finally {
    client.release(true);
  }
  expect(heard).toContain('default');
});
