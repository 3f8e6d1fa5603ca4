import { DAY, systemClock } from '@escapement/core';
import { groupFailures } from '@escapement/operations';
import type { Database } from '@escapement/store';
import { fillLedger, KEYS_PER_TASK } from './fill-ledger.ts';
import { insertTasks } from './insert-tasks.ts';

/** So many labels `team`, of so many people. */
export const TEAMS = 100;
export const ACTORS = 50;

export interface LedgerAsked {
  runs: number;
  tasks: number;
  days: number;
}

/** A fleet of some weeks: runs, tasks with labels, of which one of a hundred is paused, key slots, acts of people, alerts. */
export async function fillForApi(db: Database, { runs, tasks, days }: LedgerAsked): Promise<void> {
  await insertTasks(db, tasks, () => ({ spec: { kind: 'manual' }, nextRunAt: null }));
  const to = systemClock.now();
  await fillLedger(db, { from: new Date(to.getTime() - days * DAY), to, count: runs, tasks });
  const link = await db.pool.connect();
  try {
    await link.query('SET session_replication_role = replica');
    await link.query(LABELS);
    await link.query(NOTED_LABELS);
    await link.query(PAUSES);
    await link.query(SLOTS, [tasks * KEYS_PER_TASK]);
    await link.query(ACTIONS, [Math.ceil(runs / 50), tasks, days]);
    await link.query(ALERTS, [tasks]);
    await link.query(FAILURES);
    await link.query('RESET session_replication_role');
  } finally {
    link.release();
  }
  // As schedulers do.
  while ((await groupFailures(db, 2000)) > 0);
  await db.pool.query('VACUUM ANALYZE');
}

const LABELS = `UPDATE task SET definition = definition || jsonb_build_object('labels',
  jsonb_build_object('team', 't' || substr(name, 7)::integer % ${TEAMS})) WHERE name LIKE 'bench-%'`;

/** As a trigger does, which was asleep. */
const NOTED_LABELS = `INSERT INTO task_label (task_id, namespace, key, value)
  SELECT t.id, t.namespace, l.key, l.value FROM task t, jsonb_each_text(t.definition->'labels') l`;

const PAUSES = `INSERT INTO task_pause (task_id, from_at, created_by) SELECT id, now(), 'person-1' FROM task
  WHERE name LIKE 'bench-%00'`;

const SLOTS = `INSERT INTO key_slot (namespace, key, slot, fence)
  SELECT 'default', 'bench-' || n / ${KEYS_PER_TASK} || ':' || n % ${KEYS_PER_TASK}, 1, 1 FROM generate_series(0, $1::integer - 1) AS n`;

const FAILURES = `INSERT INTO failure (namespace, run_id, scheduled_for, task_id, finished_at)
  SELECT namespace, id, scheduled_for, task_id, finished_at FROM run WHERE phase = 'failed'`;

const ACTIONS = `INSERT INTO audit (namespace, at, principal_kind, principal_id, principal_name, action, subject)
  SELECT 'default', now() - (1 - n::float8 / $1::integer) * $3::integer * interval '1 day', 'user', 'person-' || n % ${ACTORS},
    'person-' || n % ${ACTORS}, CASE WHEN n % 500 = 0 THEN 'pause' WHEN n % 500 = 1 THEN 'resume' ELSE 'trigger' END,
    'task:bench-' || n * 7919::bigint % $2::integer
  FROM generate_series(1, $1::integer) AS n`;

const ALERTS = `INSERT INTO alert (namespace, rule, kind, severity, subject, task_id, labels, state, summary, since, last_at, fire_at, fired_at,
    resolved_at, resolved_why)
  SELECT 'default', 'failed', 'failures', 'warning', t.name || ':' || n, t.id, '{}', CASE WHEN n = 1 THEN 'firing' ELSE 'resolved' END,
    'it has failed', now() - interval '1 day', now() - interval '1 h', now() - interval '1 day', now() - interval '1 day',
    CASE WHEN n > 1 THEN now() - n * interval '1 h' END, CASE WHEN n > 1 THEN 'it has succeeded' END
  FROM task t CROSS JOIN generate_series(1, 40) AS n WHERE t.name LIKE 'bench-%0' AND substr(t.name, 7)::integer < $1::integer / 10`;
