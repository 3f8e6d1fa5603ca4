import type { TaskInput, Verdict } from '@escapement/core';
import { afterFile, by, lockRows, testDatabase } from '@escapement/testkit';
import { expect, it } from 'vitest';
import {
  auditEntries,
  type BegunRun,
  beginRuns,
  type Database,
  finishRuns,
  openDatabase,
  pruneSmallTables,
  rerunRun,
  resumeTask,
} from '../src/index.ts';
import { ago, beginRequest, begun, finishRequest, MINUTE, makeTask, queueRuns, SUCCEEDED } from './ledger.ts';

const { url } = await testDatabase();
const [one, two] = [open('one'), open('two')];

function open(applicationName: string): Database {
  const db = openDatabase({ url, applicationName });
  afterFile(() => db.close());
  return db;
}

const FAILED: Verdict = { to: 'failed', reason: 'exit code 3', lost: false, uncounted: false };
const TIMED_OUT: Verdict = { to: 'timed_out', reason: 'ran too long', lost: false, uncounted: false };
const QUARANTINED: Verdict = { to: 'quarantined', reason: 'lost its worker 3 times', lost: true, uncounted: true };
const SKIPPED: Verdict = { to: 'skipped', reason: 'nothing to do', lost: false, uncounted: false };

/** Running occurrences of a new task, the oldest first, each under a key of its own. */
async function running(name: string, count: number, more: Partial<TaskInput> = { pauseAfterFailures: 3 }) {
  const taskId = await makeTask(one, { name, ...more });
  const ages = Array.from({ length: count }, (_, n) => ({ taskId, key: `${name}-${n}`, ageMs: (count - n) * MINUTE }));
  return { taskId, runs: await begun(one, await queueRuns(one, ages)) };
}

async function end(db: Database, run: BegunRun | undefined, verdict: Verdict): Promise<void> {
  if (!run) throw new Error('no fixture');
  expect(await finishRuns(db, [finishRequest(run, verdict)])).toEqual(['applied']);
}

async function pausesOf(taskId: string) {
  const { rows } = await one.pool.query(
    `SELECT note, created_by, until_at, failures, run_id FROM task_pause WHERE task_id = $1 ORDER BY from_at`,
    [taskId],
  );
  return rows;
}

it('the end of the third failure in a row pauses the task, names the runs, and is one entry of the audit', async () => {
  const { taskId, runs } = await running('thrice', 3);
  const [first, second, third] = runs;
  await end(one, first, FAILED);
  await end(one, second, TIMED_OUT);
  expect(await pausesOf(taskId)).toEqual([]);
  await end(one, third, QUARANTINED);
  const ids = runs.map(({ runId }) => runId);
  const note = `3 runs in a row failed: ${ids.join(', ')}`;
  expect(await pausesOf(taskId)).toEqual([
    { note, created_by: `run:${ids[2]}`, until_at: null, failures: 3, run_id: null },
  ]);
  expect(await auditEntries(one, { task: 'thrice' }, 1)).toMatchObject([
    {
      principal: { kind: 'process', name: `run:${ids[2]}` },
      reason: note,
      detail: { failures: 3, runs: ids, until: null },
    },
  ]);
});

it('an occurrence that is due after the pause does not begin', async () => {
  const { taskId, runs } = await running('stopped', 1, { pauseAfterFailures: 1 });
  await end(one, runs[0], FAILED);
  const [next] = await queueRuns(one, [{ taskId, key: 'stopped', ageMs: 0 }]);
  if (!next) throw new Error('no fixture');
  expect(await beginRuns(one, [beginRequest(next)])).toMatchObject([
    { kind: 'ended', state: 'skipped', reason: `paused: run ${runs[0]?.runId} failed` },
  ]);
});

it('a success ends the row; what was skipped is passed over', async () => {
  const { taskId, runs } = await running('mixed', 6);
  for (const [n, verdict] of [FAILED, FAILED, SUCCEEDED, FAILED, SKIPPED, FAILED].entries())
    await end(one, runs[n], verdict);
  expect(await pausesOf(taskId)).toEqual([]);
});

it('what counts is the order in which the runs were due, not that of their ends', async () => {
  const { taskId, runs } = await running('disorder', 4);
  await end(one, runs[2], SUCCEEDED);
  for (const n of [0, 1, 3]) await end(one, runs[n], FAILED);
  expect(await pausesOf(taskId)).toEqual([]);
  const gap = await running('gap', 3);
  // The one in the middle fails last.
  for (const n of [0, 2, 1]) await end(one, gap.runs[n], FAILED);
  expect(await pausesOf(gap.taskId)).toHaveLength(1);
});

it('failures that end in one statement count, and of several tasks each its own', async () => {
  const [four, other] = [await running('four', 4), await running('other', 2)];
  const requests = [...other.runs, ...four.runs].map((run) => finishRequest(run, FAILED));
  expect(new Set(await finishRuns(one, requests))).toEqual(new Set(['applied']));
  const ids = four.runs.slice(1).map(({ runId }) => runId);
  expect(await pausesOf(four.taskId)).toMatchObject([{ note: `3 runs in a row failed: ${ids.join(', ')}` }]);
  expect(await pausesOf(other.taskId)).toEqual([]);
});

it('two failures that are written at once pause the task, once', async () => {
  const { taskId, runs } = await running('at-once', 2, { pauseAfterFailures: 2 });
  const held = await lockRows(
    url,
    `SELECT pg_advisory_xact_lock(hashtextextended('escapement failures ${taskId}', 0))`,
  );
  const ends = Promise.all([end(one, runs[0], FAILED), end(two, runs[1], FAILED)]);
  await held.awaited(2);
  await held.release();
  await ends;
  expect(await pausesOf(taskId)).toHaveLength(1);
});

it('once a person has resumed the task it is counted anew', async () => {
  const { taskId, runs } = await running('resumed', 3, { pauseAfterFailures: 2 });
  for (const n of [0, 1]) await end(one, runs[n], FAILED);
  expect(await resumeTask(one, 'resumed', by('ann'))).toBe(1);
  // It was due before.
  await end(one, runs[2], FAILED);
  expect(await pausesOf(taskId)).toHaveLength(1);
  await one.pool.query(`UPDATE task_pause SET from_at = $2, until_at = $3 WHERE task_id = $1`, [
    taskId,
    ago(2 * MINUTE),
    ago(1.5 * MINUTE),
  ]);
  const [late, later] = await begun(
    one,
    await queueRuns(one, [
      { taskId, key: 'late', ageMs: 2000 },
      { taskId, key: 'later', ageMs: 1000 },
    ]),
  );
  // Beside the one that was due a minute ago and has failed above.
  await end(one, late, SUCCEEDED);
  await end(one, later, FAILED);
  expect(await pausesOf(taskId)).toHaveLength(1);
  const [last] = await begun(one, await queueRuns(one, [{ taskId, key: 'last', ageMs: 500 }]));
  await end(one, last, FAILED);
  expect(await pausesOf(taskId)).toHaveLength(2);
});

it('a task that is paused without end gets no second pause, one that is paused for a time does', async () => {
  const { taskId, runs } = await running('paused', 2, { pauseAfterFailures: 1 });
  await one.pool.query(`INSERT INTO task_pause (task_id, from_at, created_by) VALUES ($1, $2, 'ann')`, [
    taskId,
    ago(0),
  ]);
  await end(one, runs[0], FAILED);
  expect(await pausesOf(taskId)).toMatchObject([{ created_by: 'ann' }]);
  await one.pool.query(`UPDATE task_pause SET until_at = now() + interval '1 h' WHERE task_id = $1`, [taskId]);
  await end(one, runs[1], FAILED);
  expect(await pausesOf(taskId)).toMatchObject([{ created_by: 'ann' }, { failures: 1 }]);
});

it('reruns: a failed one does not count, one that succeeded ends the row', async () => {
  const { taskId, runs } = await running('rerun', 3, { pauseAfterFailures: 2 });
  await end(one, runs[0], FAILED);
  for (const verdict of [FAILED, SUCCEEDED]) {
    const made = await rerunRun(one, runs[0]?.runId ?? '', by('ann'));
    if (made.kind !== 'made') throw new Error(`not rerun: ${made.kind}`);
    await one.pool.query(`UPDATE run SET state = 'queued', dispatch = 1 WHERE id = $1`, [made.rerunId]);
    const rerun = { runId: made.rerunId, scheduledFor: runs[0]?.scheduledFor ?? ago(0), dispatch: 1, key: 'rerun' };
    const [again] = await begun(one, [rerun]);
    await end(one, again, verdict);
    expect(await pausesOf(taskId)).toEqual([]);
  }
  await end(one, runs[1], FAILED);
  expect(await pausesOf(taskId)).toEqual([]);
  await end(one, runs[2], FAILED);
  expect(await pausesOf(taskId)).toHaveLength(1);
});

it('triggers do not count', async () => {
  const { taskId, runs } = await running('triggered', 2, { pauseAfterFailures: 1 });
  await one.pool.query(`UPDATE run SET origin = 'trigger' WHERE task_id = $1`, [taskId]);
  for (const run of runs) await end(one, run, FAILED);
  expect(await pausesOf(taskId)).toEqual([]);
});

it('of many failures the note names the last five, the audit all', async () => {
  const { taskId, runs } = await running('many', 7, { pauseAfterFailures: 7 });
  for (const run of runs) await end(one, run, FAILED);
  const ids = runs.map(({ runId }) => runId);
  expect(await pausesOf(taskId)).toMatchObject([
    { note: `7 runs in a row failed, the last 5: ${ids.slice(2).join(', ')}` },
  ]);
  expect(await auditEntries(one, { task: 'many' }, 1)).toMatchObject([{ detail: { runs: ids } }]);
});

it('a task without the option is never paused', async () => {
  const { taskId, runs } = await running('without', 4, {});
  for (const run of runs) await end(one, run, FAILED);
  expect(await pausesOf(taskId)).toEqual([]);
});

it('the last pause after failures is kept, since failures are counted from its end on', async () => {
  const { taskId } = await running('old', 0);
  for (const days of [300, 200, 100])
    await one.pool.query(
      `INSERT INTO task_pause (task_id, from_at, until_at, created_by, failures)
       VALUES ($1, now() - make_interval(days => $2), now() - make_interval(days => $2 - 1), 'run:x', 3)`,
      [taskId, days],
    );
  await one.pool.query('UPDATE task_plan SET next_run_at = now() WHERE task_id = $1', [taskId]);
  await pruneSmallTables(one);
  expect(await pausesOf(taskId)).toHaveLength(1);
});
