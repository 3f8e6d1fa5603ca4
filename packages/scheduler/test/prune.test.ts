import { newRunId, systemClock } from '@escapement/core';
import { removeQueues } from '@escapement/queue';
import { ensurePartitions, openAlerts, writeHeartbeat } from '@escapement/store';
import { beginWeeksAt } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createPruner } from '../src/index.ts';

const fleet = await testFleet();
const DAY = 86_400_000;
const pruner = createPruner({
  db: fleet.as.scheduler,
  clock: systemClock,
  emit: () => undefined,
  removeQueues: (names) => removeQueues(fleet.connection, names),
  onError: () => undefined,
});

const ago = (days: number) => new Date(systemClock.now().getTime() - days * DAY);

async function prune() {
  await fleet.db.pool.query(`DELETE FROM cluster_lock WHERE name = 'pruner'`);
  await pruner.runOnce();
}

/** Finished runs of a task so many days old. */
async function ran(task: string, days: readonly number[]): Promise<void> {
  for (const day of days) {
    const at = ago(day);
    await fleet.db.pool.query(
      `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
         overlap, pool, due_at, attempt, finished_at)
       SELECT $1, $2, 'default', id, 1, 1, 'schedule', 'succeeded', name, 1, 'skip', 'default', $2, 1, $2 FROM task WHERE name = $3`,
      [newRunId(at), at, task],
    );
  }
}

async function ages(task: string): Promise<number[]> {
  const now = systemClock.now().getTime();
  const rows = await fleet.runs(task);
  return rows.map((row) => Math.round((now - row.scheduled_for.getTime()) / DAY)).reverse();
}

it("deletes finished runs past their task's retention and keeps the last one, however old", async () => {
  await fleet.save({ name: 'usual' });
  await fleet.save({ name: 'short', retentionDays: 2 });
  await fleet.save({ name: 'yearly', retentionDays: 5 });
  await ran('usual', [40, 31, 29, 1]);
  await ran('short', [5, 3, 1]);
  await ran('yearly', [20, 10]);
  await prune();
  expect(await ages('usual')).toEqual([1, 29]);
  expect(await ages('short')).toEqual([1]);
  expect(await ages('yearly')).toEqual([10]);
});

it('makes partitions ahead, and drops those in which nothing is worth keeping', async () => {
  await fleet.save({ name: 'seldom' });
  await fleet.db.pool.query('TRUNCATE run');
  await beginWeeksAt(fleet.db.url, ago(60));
  await ensurePartitions(fleet.db, ago(60), 60);
  await ran('seldom', [60, 53]);
  const before = await partitions();
  await prune();
  const after = await partitions();
  expect(before.filter((name) => !after.includes(name)).length).toBeGreaterThanOrEqual(2);
  // The last run of the task went to what is older than all weeks before its own was dropped.
  expect(await ages('seldom')).toEqual([53]);
  const ahead = new Date(systemClock.now().getTime() + 20 * DAY).toISOString().slice(0, 10).replaceAll('-', '');
  expect(after.some((name) => name.startsWith('run_log_chunk_p') && name.slice(-8) >= ahead)).toBe(true);
});

it('deletes the logs of the runs it deletes, and the marks of rules on them', async () => {
  await fleet.save({ name: 'logged', retentionDays: 2 });
  await ran('logged', [5, 1]);
  const [old, last] = await fleet.runs('logged');
  await ensurePartitions(fleet.db, ago(5), 5);
  await fleet.db.pool.query(
    `INSERT INTO run_log_chunk (run_id, attempt, seq, written_at, text)
     SELECT id, 1, 1, finished_at, 'x' FROM run WHERE id = ANY ($1::uuid[])`,
    [[old?.id, last?.id]],
  );
  await fleet.db.pool.query(
    `INSERT INTO run_mark (namespace, run_id, scheduled_for, rule, detail)
     SELECT namespace, id, scheduled_for, 'rows', 'none' FROM run WHERE id = ANY ($1::uuid[])`,
    [[old?.id, last?.id]],
  );
  await prune();
  const { rows: logs } = await fleet.db.pool.query('SELECT run_id FROM run_log_chunk');
  expect(logs).toEqual([{ run_id: last?.id }]);
  const { rows: marks } = await fleet.db.pool.query('SELECT run_id FROM run_mark');
  expect(marks).toEqual([{ run_id: last?.id }]);
});

it('forgets failures with their runs, and with their week', async () => {
  await fleet.save({ name: 'failing', retentionDays: 2 });
  await ran('failing', [70, 5, 1]);
  const [, old, last] = await fleet.runs('failing');
  await fleet.db.pool.query(
    `INSERT INTO failure (namespace, run_id, scheduled_for, task_id, finished_at)
     SELECT namespace, id, scheduled_for, task_id, finished_at FROM run WHERE id = ANY ($1::uuid[])
     UNION ALL SELECT namespace, $2, $3::timestamptz, task_id, $3::timestamptz FROM run WHERE id = $4`,
    [[old?.id, last?.id], newRunId(ago(70)), ago(70).toISOString(), last?.id],
  );
  await prune();
  const { rows } = await fleet.db.pool.query('SELECT run_id FROM failure');
  expect(rows).toEqual([{ run_id: last?.id }]);
});

it('forgets alerts 90 days after they were over, and messages after 30 days; what is open or to be sent stays', async () => {
  const finding = {
    rule: 'failed',
    kind: 'failed',
    severity: 'critical',
    taskId: null,
    labels: {},
    why: [],
    runs: [],
    forMs: 0,
  } as const;
  const subjects = ['open', 'young', 'old'];
  await openAlerts(
    fleet.db,
    subjects.map((subject) => ({ ...finding, subject, summary: subject, since: ago(200) })),
  );
  await fleet.db.pool.query(
    `UPDATE alert SET tell = NULL, state = 'resolved', resolved_at = now() - CASE subject WHEN 'old' THEN 91 ELSE 89 END * interval '1 day'
     WHERE subject <> 'open'`,
  );
  await fleet.db.pool.query(
    `INSERT INTO delivery (namespace, receiver, alert_group, alerts, repeated, state, try_at, created_at)
     SELECT $1, v.receiver, '', '{}', false, v.state, now(), now() - v.days * interval '1 day'
     FROM (VALUES ('young', 'sent', 29), ('old', 'sent', 31), ('unsent', 'pending', 31)) AS v(receiver, state, days)`,
    [fleet.db.namespace],
  );
  await prune();
  const { rows: alerts } = await fleet.db.pool.query('SELECT subject FROM alert ORDER BY subject');
  expect(alerts).toEqual([{ subject: 'open' }, { subject: 'young' }]);
  const { rows: messages } = await fleet.db.pool.query('SELECT receiver FROM delivery ORDER BY receiver');
  expect(messages).toEqual([{ receiver: 'unsent' }, { receiver: 'young' }]);
});

it('forgets what was to follow a run 30 days after that was given up', async () => {
  await fleet.save({ name: 'followed' });
  await ran('followed', [1]);
  await fleet.db.pool.query(
    `INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event, error, given_up_at)
     SELECT r.namespace, r.id, r.scheduled_for, r.task_id, 'finished', v.error, now() - v.days * interval '1 day'
     FROM run r JOIN task t ON t.id = r.task_id AND t.name = 'followed',
       (VALUES ('old', 31), ('new', 29)) AS v(error, days)`,
  );
  await prune();
  expect((await fleet.db.pool.query('SELECT error FROM followers_outbox')).rows).toEqual([{ error: 'new' }]);
});

async function partitions(): Promise<string[]> {
  const { rows } = await fleet.db.pool.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

it('keeps the record of what people did for a year', async () => {
  await fleet.db.pool.query(
    `INSERT INTO audit (namespace, principal_kind, principal_id, principal_name, action, subject, at)
     SELECT 'default', 'cli', 'ann', 'ann', 'pause', 'task:aged', now() - make_interval(days => days) FROM unnest($1::integer[]) AS days`,
    [[1, 364, 367, 800]],
  );
  await prune();
  const { rows } = await fleet.db.pool.query(
    `SELECT round(extract(epoch FROM now() - at) / 86400)::integer AS days FROM audit WHERE subject = 'task:aged' ORDER BY id`,
  );
  expect(rows).toEqual([{ days: 1 }, { days: 364 }]);
});

it('the queues of a worker that is gone for good are taken out of Redis, and those of a living one stay', async () => {
  await fleet.save({ name: 'each', runOn: 'every-worker' });
  for (const name of ['here', 'gone']) {
    const process = {
      id: name,
      name,
      role: 'worker',
      host: 'test',
      pid: 1,
      appVersion: '0',
      pools: ['default'],
    } as const;
    await writeHeartbeat(
      fleet.db,
      { ...process, offers: ['shell', `shell@${name}`] },
      { activeRuns: [], clockOffsetMs: 0 },
    );
    const ref = { queue: `default+shell@${name}`, runId: newRunId(ago(0)), dispatch: 1 };
    await fleet.queue.add([{ ...ref, delayMs: 60_000 }]);
  }
  await fleet.db.pool.query(`UPDATE process SET heartbeat_at = now() - interval '25 h' WHERE id = 'gone'`);
  const keysOf = async (name: string) => (await fleet.server.send('KEYS', `*shell@${name}*`)) as string[];
  expect((await keysOf('gone')).length).toBeGreaterThan(0);
  await prune();
  expect(await keysOf('gone')).toEqual([]);
  expect((await keysOf('here')).length).toBeGreaterThan(0);
  const { rows } = await fleet.db.pool.query(`SELECT id FROM process WHERE role = 'worker'`);
  expect(rows).toEqual([{ id: 'here' }]);
});

it('sessions are forgotten 30 days after their end, tries to sign in after an hour', async () => {
  const { pool } = fleet.db;
  await pool.query(
    `INSERT INTO access_session (namespace, hash, user_id, password_at, created_at, seen_at, ends_at)
     SELECT 'default', sha256(days::text::bytea), gen_random_uuid(), now(), now(), now(), now() - make_interval(days => days)
     FROM unnest($1::integer[]) AS days`,
    [[-7, 29, 31]],
  );
  await pool.query(
    `INSERT INTO sign_in_count (namespace, kind, bucket, tries, since)
     SELECT 'default', 'name', minutes, 1, now() - make_interval(mins => minutes) FROM unnest($1::integer[]) AS minutes`,
    [[1, 59, 61]],
  );
  await prune();
  const { rows: sessions } = await pool.query(
    'SELECT round(extract(epoch FROM now() - ends_at) / 86400)::integer AS days FROM access_session ORDER BY 1',
  );
  expect(sessions).toEqual([{ days: -7 }, { days: 29 }]);
  const { rows: tries } = await pool.query('SELECT bucket FROM sign_in_count ORDER BY 1');
  expect(tries).toEqual([{ bucket: 1 }, { bucket: 59 }]);
});

it('goes on at once with the next ten thousand tasks, until none is left', async () => {
  await fleet.db.pool.query(
    `INSERT INTO task (name, definition, schedule, key_template, key_limit, overlap, pool, source, effective_at)
     SELECT 'many-' || n, '{"retentionDays": 2}', '{"kind": "manual"}', 'many', 1, 'skip', 'default', 'test', now()
     FROM generate_series(1, 10500) AS n`,
  );
  const { rows } = await fleet.db.pool.query<{ name: string }>('SELECT name FROM task ORDER BY id DESC LIMIT 1');
  const last = rows[0]?.name ?? '';
  await ran(last, [5, 1]);
  await fleet.db.pool.query(`DELETE FROM cluster_lock WHERE name = 'pruner'`);
  expect(await pruner.runOnce()).toBe(0);
  expect(await ages(last)).toEqual([1, 5]);
  expect(await pruner.runOnce()).toBeGreaterThan(0);
  expect(await ages(last)).toEqual([1]);
});
