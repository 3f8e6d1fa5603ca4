import { newRunId } from '@escapement/core';
import { afterAll, expect, it } from 'vitest';
import { ago, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one: db } = processes;
afterAll(() => processes.close());

const forget = (taskId: string) => db.pool.query(`SELECT forget_next($1, 'so')`, [taskId]);

/** A run to come of a new task, which another run has decided to be its next; with what is another of it. */
async function decided(
  name: string,
  set = 'ordinal = -1',
  ageMs = -10 * MINUTE,
): Promise<QueuedFixture & { taskId: string }> {
  const taskId = await makeTask(db, { name });
  const [run] = await queueRuns(db, [{ taskId, key: name, ageMs }]);
  if (!run) throw new Error('no fixture');
  await db.pool.query(`UPDATE run SET origin = 'chain', ordinal = -1 WHERE id = $1`, [run.runId]);
  await db.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run.runId]);
  return { ...run, taskId };
}

async function runOf({ runId }: QueuedFixture) {
  const { rows } = await db.pool.query(
    'SELECT state, reason, finished_at IS NOT NULL AS ended FROM run WHERE id = $1',
    [runId],
  );
  return rows[0];
}

it.each(['queued', 'planned'])('the next run is taken back while it is %s', async (state) => {
  const run = await decided(`back-${state}`, `state = '${state}'`);
  await forget(run.taskId);
  expect(await runOf(run)).toEqual({ state: 'superseded', reason: 'so', ended: true });
});

it.each([
  ['that has begun', `state = 'running', attempt = 1, worker = 'w', fence = 1, started_at = now()`, undefined],
  ['that is to be tried again', 'attempt = 1', undefined],
  ['that waits', `state = 'waiting', waiting_since = now()`, undefined],
  ['that is due', 'ordinal = -1', MINUTE],
  ['of a chain', 'ordinal = 0', undefined],
])('a run %s is not taken back', async (what, set, ageMs) => {
  const run = await decided(what.replaceAll(' ', '-'), set, ageMs);
  const before = await runOf(run);
  await forget(run.taskId);
  expect(await runOf(run)).toEqual(before);
});

it('the next run of another task is not taken back', async () => {
  const [run, other] = [await decided('own-run'), await decided('run-of-another')];
  await forget(run.taskId);
  expect(await runOf(other)).toMatchObject({ state: 'queued' });
});

it('what is still to be made of a decision is forgotten: of this task, and nothing else', async () => {
  const [run, other] = [await decided('own-note'), await decided('note-of-another')];
  for (const { taskId, runId, scheduledFor } of [run, other])
    for (const event of ['next', 'chain'])
      await db.pool.query(
        `INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event) VALUES ($1, $2, $3, $4, $5)`,
        [db.namespace, runId, scheduledFor, taskId, event],
      );
  await forget(run.taskId);
  const { rows } = await db.pool.query<{ note: string }>(
    `SELECT t.name || ' ' || o.event AS note FROM followers_outbox o JOIN task t ON t.id = o.task_id ORDER BY o.id`,
  );
  expect(rows.map(({ note }) => note)).toEqual(['own-note chain', 'note-of-another next', 'note-of-another chain']);
});

interface Rest {
  fromMs: number;
  untilMs: number | null;
  byPerson?: boolean;
}

/** When the rest of a task ends after it is forgotten. Milliseconds from its beginning; null: it does not. */
async function endOf(taskId: string, { fromMs, untilMs, byPerson = false }: Rest, forgotten = taskId) {
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO task_pause (task_id, from_at, until_at, created_by, run_id) VALUES ($1, $2, $3, 'x', $4) RETURNING id`,
    [taskId, ago(fromMs), untilMs === null ? null : ago(untilMs), byPerson ? null : newRunId(ago(0))],
  );
  await forget(forgotten);
  const { rows: after } = await db.pool.query<{ ms: number | null }>(
    'SELECT extract(epoch FROM until_at - from_at)::float8 * 1000 AS ms FROM task_pause WHERE id = $1',
    [rows[0]?.id],
  );
  return after[0]?.ms;
}

it.each([-60 * MINUTE, null])('a rest that goes on ends now', async (untilMs) => {
  const taskId = await makeTask(db, { name: `goes-on-${untilMs}` });
  const end = await endOf(taskId, { fromMs: 30 * MINUTE, untilMs });
  expect(end).toBeGreaterThanOrEqual(30 * MINUTE);
  expect(end).toBeLessThan(60 * MINUTE);
});

it('a rest that has not begun ends when it begins', async () => {
  const taskId = await makeTask(db, { name: 'not-begun' });
  expect(await endOf(taskId, { fromMs: -30 * MINUTE, untilMs: null })).toBe(0);
});

it('a rest that is over keeps its end, a person’s pause goes on, as does the rest of another task', async () => {
  const [taskId, other] = [await makeTask(db, { name: 'over' }), await makeTask(db, { name: 'other' })];
  expect(await endOf(taskId, { fromMs: 30 * MINUTE, untilMs: 20 * MINUTE })).toBe(10 * MINUTE);
  expect(await endOf(taskId, { fromMs: 30 * MINUTE, untilMs: null, byPerson: true })).toBeNull();
  expect(await endOf(other, { fromMs: 30 * MINUTE, untilMs: null }, taskId)).toBeNull();
});
