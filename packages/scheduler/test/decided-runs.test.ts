import { MINUTE, newRunId, systemClock } from '@escapement/core';
import { deleteTask, startBackfill, triggerTask } from '@escapement/operations';
import { listBackfills } from '@escapement/store';
import { by, lockRows } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
const { db } = fleet;
const retry = { maxAttempts: 5, backoff: { kind: 'fixed', delayMs: 1 } } as const;
const DELETED = 'the task was deleted';
const schedule = { kind: 'every', everyMs: MINUTE } as const;

/** Gives a task an open run that is as the columns say. */
async function openRun(task: string, { at, columns }: { at: string; columns: string }): Promise<string> {
  const { rows } = await db.pool.query(
    `WITH made AS (
       INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, need, due_at)
       SELECT gen_random_uuid(), ${at}, 'default', id, version, plan_epoch, 'schedule', 'queued', 'k', 1, 'skip', 'nobody', need, ${at}
       FROM task WHERE name = $1 RETURNING id)
     SELECT id FROM made`,
    [task],
  );
  await db.pool.query(`UPDATE run SET ${columns} WHERE id = $1`, [rows[0]?.id]);
  return rows[0]?.id;
}

const endOf = async (id: string) => (await db.pool.query('SELECT state, reason FROM run WHERE id = $1', [id])).rows[0];

const BEGUN = `attempt = 1, worker = 'w', fence = 1, started_at = now()`;

it.each([
  ['is queued', 'queued', { at: 'past', columns: 'dispatch = 1' }, 'cancelled'],
  ['waits for its repeat', 'planned', { at: 'past', columns: `state = 'planned'` }, 'cancelled'],
  ['was triggered', 'triggered', { at: 'past', columns: `state = 'planned', origin = 'trigger'` }, 'cancelled'],
  ['was triggered for later', 'later', { at: 'ahead', columns: `state = 'planned', origin = 'trigger'` }, 'cancelled'],
  ['waits for its key', 'waiting', { at: 'past', columns: `state = 'waiting', waiting_since = now()` }, 'cancelled'],
  ['is held', 'held', { at: 'past', columns: `state = 'held'` }, 'cancelled'],
  ['is between attempts', 'retrying', { at: 'ahead', columns: `state = 'retrying', ${BEGUN}` }, 'cancelled'],
  ['is of a backfill', 'filled', { at: 'past', columns: `state = 'planned', origin = 'backfill'` }, 'cancelled'],
  ['is an occurrence ahead', 'ahead', { at: 'ahead', columns: 'dispatch = 1' }, 'superseded'],
  ['runs', 'running', { at: 'past', columns: `state = 'running', ${BEGUN}` }, null],
  [
    'waits for a person to say how it ended',
    'unknown',
    { at: 'past', columns: `state = 'unknown', reason = 'cut off', ${BEGUN}` },
    null,
  ],
])('to delete a task ends a run of it that %s, without a worker', async (_, name, { at, columns }, state) => {
  await fleet.save({ name, schedule });
  const run = await openRun(name, { at: `now() ${at === 'ahead' ? '+' : '-'} interval '5 min'`, columns });
  await deleteTask(db, name, by('ann'));
  expect(await endOf(run)).toEqual(
    state ? { state, reason: DELETED } : { state: name, reason: name === 'unknown' ? 'cut off' : null },
  );
});

it('a task that is saved again has the occurrences ahead, in rows of its own', async () => {
  await fleet.save({ name: 'again', schedule: { kind: 'every', everyMs: 2000 } });
  await fleet.planner.runOnce();
  const before = await fleet.runs('again');
  await deleteTask(db, 'again', by('ann'));
  await fleet.save({ name: 'again', schedule: { kind: 'every', everyMs: 2000 } });
  await fleet.planner.runOnce();
  const after = await fleet.runs('again');
  const open = after.filter(({ state }) => state === 'queued').map(({ scheduled_for }) => scheduled_for.getTime());
  const ahead = before.map(({ scheduled_for }) => scheduled_for.getTime()).filter((at) => at >= Math.min(...open));
  expect(ahead.length).toBeGreaterThan(1);
  expect(open).toEqual(expect.arrayContaining(ahead));
  const ids = new Set(before.map(({ id }) => id));
  expect(new Set(after.filter(({ id }) => ids.has(id)).map(({ state }) => state))).not.toContain('queued');
});

it('no run from before a deletion begins, though the name is saved again: one in the midst of being made, one that fails', async () => {
  await fleet.save({ name: 'raced', retry });
  let goOn = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const started: string[] = [];
  await fleet.startWorker(async ({ run }) => {
    if (run.taskName === 'raced') started.push(run.id);
    await gate;
    return { status: 'failed', error: { name: 'E', message: 'no' } };
  });
  const begun = fleet.event('run_started', ({ task }) => task === 'raced');
  const failing = await triggerTask(db, 'raced', { by: by('ann') });
  await fleet.dispatcher.runOnce();
  await begun;
  const now = systemClock.now();
  const made = await lockRows(
    db.url,
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, need, due_at)
     SELECT $1, $2, 'default', id, version, plan_epoch, 'trigger', 'planned', 'other', 1, 'skip', pool, need, now()
     FROM task WHERE name = 'raced'`,
    [newRunId(now), now.toISOString()],
  );
  await deleteTask(db, 'raced', by('ann'));
  await fleet.save({ name: 'raced', retry });
  await made.commit();
  const failed = fleet.event('run_finished', ({ run }) => run === failing);
  goOn();
  await failed;
  for (let open = true; open; ) {
    await fleet.dispatcher.runOnce();
    await fleet.reconcile();
    open = (await fleet.runs('raced')).some(({ state }) => !['cancelled', 'failed'].includes(state));
  }
  expect(await fleet.runs('raced')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: failing, state: 'cancelled', reason: DELETED, attempt: 1 }),
      expect.objectContaining({ state: 'cancelled', reason: DELETED, attempt: 0 }),
    ]),
  );
  expect(started).toEqual([failing]);
});

it('of a task with very many open runs a scheduler ends what the deletion has left, and looks no further', async () => {
  await fleet.save({ name: 'crowded' });
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, need, due_at, dispatch)
     SELECT gen_random_uuid(), now() - n * interval '1 ms', 'default', id, version, plan_epoch, 'trigger', 'queued', 'crowded', 1, 'skip', 'nobody', need, now(), 1
     FROM task, generate_series(1, 1200) AS n WHERE name = 'crowded'`,
  );
  const open = async () => (await fleet.runs('crowded')).filter(({ state }) => state !== 'cancelled').length;
  const isLeft = async () =>
    (await db.pool.query(`SELECT ends_runs FROM task WHERE name = 'crowded'`)).rows[0]?.ends_runs;
  await deleteTask(db, 'crowded', by('ann'));
  await fleet.save({ name: 'crowded' });
  expect([await open(), await isLeft()]).toEqual([700, true]);
  while (await isLeft()) await fleet.reconcile();
  expect(await open()).toBe(0);
});

it('to delete a task stops its backfills, which the next task of the name does not go on with', async () => {
  await fleet.save({ name: 'filled-up', schedule });
  const toAt = new Date('2026-01-01T00:00:00Z');
  const fromAt = new Date(toAt.getTime() - 10 * MINUTE);
  const id = await startBackfill(db, { task: 'filled-up', fromAt, toAt, by: by('ann') });
  await deleteTask(db, 'filled-up', by('ann'));
  await fleet.save({ name: 'filled-up', schedule });
  expect(await listBackfills(db, { limit: 1, idPrefix: id })).toMatchObject([{ state: 'stopped', error: DELETED }]);
});

it.each([
  [
    'was edited after its instant was planned',
    'edited',
    'superseded',
    `UPDATE task_version v SET effective_at = now() - interval '7 min', ended_at = now() - interval '6 min' FROM t WHERE v.task_id = t.id`,
  ],
  [
    'falls into a pause that is over',
    'paused',
    'skipped',
    `INSERT INTO task_pause (id, task_id, from_at, until_at, created_by) SELECT gen_random_uuid(), id, now() - interval '6 min', now(), 'ann' FROM t`,
  ],
  [
    'is of a task that was deleted while it was made',
    'made',
    'cancelled',
    'UPDATE task SET since_epoch = plan_epoch + 1 FROM t WHERE task.id = t.id',
  ],
  [
    'falls into a freeze that is over',
    'frozen',
    'skipped',
    `INSERT INTO fleet_freeze (id, namespace, from_at, until_at, note, created_by) SELECT gen_random_uuid(), 'default', now() - interval '6 min', now(), 'moving', 'ann' FROM t`,
  ],
])('where no worker is, a scheduler ends a queued run that %s', async (_, name, state, decide) => {
  await fleet.save({ name, schedule });
  const run = await openRun(name, { at: `now() - interval '5 min'`, columns: 'dispatch = 1' });
  await db.pool.query('UPDATE task SET plan_epoch = plan_epoch + 1 WHERE name = $1', [name]);
  await fleet.reconcile();
  expect(await endOf(run)).toEqual({ state: 'queued', reason: null });
  await db.pool.query(`WITH t AS (SELECT id FROM task WHERE name = '${name}') ${decide}`);
  await fleet.reconcile();
  expect(await endOf(run)).toMatchObject({ state, reason: expect.any(String) });
  await db.pool.query('DELETE FROM fleet_freeze');
});

it('of many overdue runs each pass looks at a part, and comes to the last of them', async () => {
  await fleet.save({ name: 'waits' });
  await fleet.save({ name: 'behind', schedule });
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, need, due_at, dispatch)
     SELECT gen_random_uuid(), now() - interval '1 h' - n * interval '1 ms', 'default', id, version, plan_epoch, 'trigger', 'queued', 'waits', 1, 'skip', 'nobody', need, now() - interval '1 h', 1
     FROM task, generate_series(1, 1500) AS n WHERE name = 'waits'`,
  );
  const run = await openRun('behind', { at: `now() - interval '5 min'`, columns: 'dispatch = 1' });
  await db.pool.query(`UPDATE task SET since_epoch = plan_epoch + 1 WHERE name = 'behind'`);
  for (let pass = 0; pass < 4; pass++) await fleet.reconcile();
  expect(await endOf(run)).toMatchObject({ state: 'cancelled', reason: DELETED });
});

it.each([
  ['is queued', 'goes-queued', `dispatch = 1`, ['new', 2]],
  ['waits for its key', 'goes-waiting', `state = 'waiting', waiting_since = now(), dispatch = 1`, ['new', 1]],
  ['is held', 'goes-held', `state = 'held'`, ['new', 0]],
  ['is between attempts', 'goes-retrying', `state = 'retrying', dispatch = 1, ${BEGUN}`, ['new', 1]],
  ['runs', 'goes-running', `state = 'running', dispatch = 1, ${BEGUN}`, ['nobody', 1]],
  ['belongs to a worker', 'goes-to-a-worker', `need = 'shell@w', dispatch = 1`, ['nobody', 1]],
])(
  'a task that goes to another pool takes a run with it that %s, if it can',
  async (_, name, columns, [pool, dispatch]) => {
    await fleet.save({ name, schedule, pool: 'nobody' });
    const run = await openRun(name, { at: `now() - interval '5 min'`, columns });
    await fleet.save({ name, schedule, pool: 'new' });
    const { rows } = await db.pool.query('SELECT pool, dispatch FROM run WHERE id = $1', [run]);
    expect(rows).toEqual([{ pool, dispatch }]);
  },
);

it('a run that was queued for the old pool begins in the new one; one that was made meanwhile follows', async () => {
  await fleet.save({ name: 'moves', pool: 'nobody' });
  const first = await triggerTask(db, 'moves', { by: by('ann') });
  await fleet.dispatcher.runOnce();
  await fleet.save({ name: 'moves' });
  const late = await triggerTask(db, 'moves', { by: by('ann') });
  await db.pool.query(`UPDATE run SET pool = 'nobody', due_at = now() - interval '5 s' WHERE id = $1`, [late]);
  const done = Promise.all([first, late].map((id) => fleet.event('run_finished', ({ run }) => run === id)));
  let isDone = false;
  const ended = done.then(() => (isDone = true));
  while (!isDone) {
    await fleet.dispatcher.runOnce();
    await fleet.reconcile();
    await Promise.race([ended, new Promise((resolve) => setImmediate(resolve))]);
  }
  expect((await fleet.runs('moves')).map(({ attempt }) => attempt)).toEqual([1, 1]);
});
