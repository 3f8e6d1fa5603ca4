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
