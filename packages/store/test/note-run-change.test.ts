import { isNoted, RUN_STATES, type RunState, TERMINAL_STATES } from '@escapement/core';
import { testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { openDatabase } from '../src/index.ts';
import { makeTask, queueRuns } from './ledger.ts';

// What the write of a run's state leaves for those who wait to hear of it.
const { url } = await testDatabase();
const opened = openDatabase({ url, applicationName: 'test', connections: 1 });
// One connection: what is written can be taken back, as a run that has ended stays so.
const db = { ...opened, hot: opened.pool };
afterAll(() => opened.close());

const EVENTS = ['then', 'onStart', 'onLate', 'onMisfire', 'onSuccess', 'onFailure', 'onFinish', 'onSkip'] as const;

/** A task with a follower for one event alone. What it names need not be there: nobody makes it here. */
const followed = (name: string, event: (typeof EVENTS)[number]) =>
  makeTask(db, { name, ...(event === 'then' ? { then: [{ task: 'x' }] } : { [event]: 'x' }) });

interface Written {
  attempt?: number;
  watched?: boolean;
}

/** What is noted when runs come into a state with all that they must have in it; by task. */
async function noted(ids: readonly string[], state: RunState, { attempt = 1, watched = true }: Written = {}) {
  await db.pool.query('BEGIN');
  try {
    await db.pool.query(
      `UPDATE run SET state = $2, attempt = $3, watched = $4, worker = 'w', started_at = now(), fence = 1, reason = 'so',
         waiting_since = now(), finished_at = CASE WHEN $5 THEN now() END WHERE id = ANY ($1)`,
      [ids, state, attempt, watched, TERMINAL_STATES.includes(state)],
    );
    const { rows } = await db.pool.query<{ key: string; event: string; namespace: string; detail: unknown }>(
      `SELECT r.key, o.event, o.namespace, o.detail FROM followers_outbox o JOIN run r ON r.id = o.run_id AND r.task_id = o.task_id
         AND r.scheduled_for = o.scheduled_for ORDER BY 1`,
    );
    return rows;
  } finally {
    await db.pool.query('ROLLBACK');
  }
}

it('of each state is noted what core says, for each event that a definition can have', async () => {
  const tasks = [];
  for (const event of EVENTS)
    tasks.push({ taskId: await followed(event.toLowerCase(), event), key: event, ageMs: 60_000 });
  const runs = await queueRuns(db, tasks);
  const ids = runs.map(({ runId }) => runId);
  for (const state of RUN_STATES.filter((each) => each !== 'queued')) {
    const found = await noted(ids, state);
    const expected = EVENTS.filter((event) => isNoted({ [event]: 'x' } as never, state));
    expect([state, found.map(({ key }) => key).sort()]).toEqual([state, [...expected].sort()]);
    for (const { key, event, namespace, detail } of found) {
      expect([event, namespace]).toEqual([state === 'running' ? 'started' : 'finished', db.namespace]);
      // Of a start, when the run was due.
      const dueAt = runs.find((run) => run.key === key)?.scheduledFor.getTime();
      expect(detail).toEqual(state === 'running' ? { dueAt } : null);
    }
  }
  expect(await noted(ids, 'running', { attempt: 2 })).toEqual([]);
  expect(await noted(ids, 'failed', { attempt: 2 })).not.toEqual([]);
  expect(await noted(ids, 'failed', { watched: false })).toEqual([]);
});

it('a run is noted by the version of its own task that it was planned with', async () => {
  const taskId = await followed('edited', 'onSuccess');
  await followed('beside', 'onFailure');
  const [old, late] = await queueRuns(db, [
    { taskId, key: 'old', ageMs: 2000 },
    { taskId, key: 'late', ageMs: 1000 },
  ]);
  if (!old || !late) throw new Error('no fixture');
  await db.pool.query(
    `INSERT INTO task_version (task_id, version, definition, source, created_by, saver_kind, saver_id)
     SELECT task_id, 2, (definition - 'onSuccess') || '{"onFailure": "x"}', source, created_by, saver_kind, saver_id
     FROM task_version WHERE task_id = $1`,
    [taskId],
  );
  await db.pool.query('UPDATE run SET task_version = 2 WHERE id = $1', [late.runId]);
  const both = [old.runId, late.runId];
  expect((await noted(both, 'succeeded')).map(({ key }) => key)).toEqual(['old']);
  expect((await noted(both, 'failed')).map(({ key }) => key)).toEqual(['late']);
});

/** What a change of the run leaves, as the query reads it afterwards. */
async function left(runId: string, set: string, query: string) {
  await db.pool.query('BEGIN');
  try {
    await db.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [runId]);
    return (await db.pool.query(query)).rows;
  } finally {
    await db.pool.query('ROLLBACK');
  }
}

async function oneRun(name: string) {
  const [run] = await queueRuns(db, [{ taskId: await makeTask(db, { name }), key: name, ageMs: 1000 }]);
  if (!run) throw new Error('no fixture');
  return run;
}

const RUNNING = `state = 'running', attempt = 1, worker = 'w', fence = 1, started_at = now()`;
const FAILED = `state = 'failed', reason = 'so', finished_at = now()`;

it('the end of a member is noted for its batch, and nothing else', async () => {
  const run = await oneRun('member');
  const notes = 'SELECT batch_id, state FROM batch_note';
  expect(await left(run.runId, FAILED, notes)).toEqual([]);
  const batch = '11111111-1111-1111-1111-111111111111';
  await db.pool.query('UPDATE run SET batch_id = $2 WHERE id = $1', [run.runId, batch]);
  expect(await left(run.runId, RUNNING, notes)).toEqual([]);
  expect(await left(run.runId, FAILED, notes)).toEqual([{ batch_id: batch, state: 'failed' }]);
});

it('who cancels a run cancels its own batches that go on', async () => {
  const [run, other] = [await oneRun('fans-out'), await oneRun('fans-out-too')];
  const states = ['filling', 'running', 'stopping', 'cancelling', 'done', 'cancelled'];
  for (const { runId, scheduledFor } of [run, other])
    await db.pool.query(
      `INSERT INTO batch (id, namespace, run_id, run_scheduled_for, name, task_id, concurrency, ordering, on_error, filled_by, created_at, state,
         ended_at)
       SELECT gen_random_uuid(), 'default', $1, $2, s, gen_random_uuid(), 1, 'none', 'continue', 1, now(), s,
         CASE WHEN s IN ('done', 'cancelled') THEN now() END FROM unnest($3::text[]) s`,
      [runId, scheduledFor, states],
    );
  const changed = `SELECT b.name, b.state, b.cancelled_by, b.reason, r.key FROM batch b JOIN run r ON r.id = b.run_id
    WHERE b.reason IS NOT NULL OR b.state <> b.name ORDER BY 1`;
  expect(await left(run.runId, FAILED, changed)).toEqual([]);
  const cancelled = `state = 'cancelled', reason = 'so', finished_at = now(), cancel_requested_by = 'ann', cancel_requested_at = now()`;
  const reason = `run ${run.runId}, which had asked for it, was cancelled`;
  expect(await left(run.runId, cancelled, changed)).toEqual(
    ['filling', 'running', 'stopping'].map((name) => ({
      ...{ name, state: 'cancelling', cancelled_by: 'ann', reason, key: 'fans-out' },
    })),
  );
});

const UNKNOWN = `state = 'unknown', reason = 'so'`;
const RETRYING = `state = 'retrying', reason = 'so'`;
const SUCCEEDED = `state = 'succeeded', finished_at = now()`;

it.each<[string, string, string, string[]]>([
  ['that runs and succeeds are confirmed', RUNNING, SUCCEEDED, ['other']],
  ['that runs and fails go back', RUNNING, FAILED, ['free', 'other']],
  ['that runs and is tried again go back', RUNNING, RETRYING, ['free', 'other']],
  ['that runs on stay with it', RUNNING, `progress = '{}'`, ['other', 'own']],
  ['of which nobody knows any more stay with it', RUNNING, UNKNOWN, ['other', 'own']],
  ['of which somebody says that it succeeded are confirmed', UNKNOWN, SUCCEEDED, ['other']],
  ['of which somebody says that it failed go back', UNKNOWN, FAILED, ['free', 'other']],
  ['that does not run stay as they are', RETRYING, FAILED, ['other', 'own']],
])('items of a run %s', async (what, before, set, expected) => {
  const name = what.replaceAll(' ', '-');
  const [run, other] = [await oneRun(name), await oneRun(`${name}-beside`)];
  await db.pool.query(`UPDATE run SET ${before} WHERE id = $1`, [run.runId]);
  await db.pool.query('UPDATE run SET takes = true WHERE id = ANY ($1)', [[run.runId, other.runId]]);
  await db.pool.query('DELETE FROM work_item');
  await db.pool.query(
    `INSERT INTO work_item (namespace, list, place, item, run_id, taken_at)
     SELECT 'default', 'l', place, '1', id, now() FROM unnest($1::uuid[]) WITH ORDINALITY AS i(id, place)`,
    [[run.runId, other.runId]],
  );
  const found = await left(
    run.runId,
    set,
    `SELECT CASE WHEN i.run_id IS NULL AND i.taken_at IS NULL THEN 'free' WHEN i.run_id = '${run.runId}' THEN 'own' ELSE 'other' END AS item
     FROM work_item i ORDER BY 1`,
  );
  expect(found.map(({ item }) => item)).toEqual(expected);
});
