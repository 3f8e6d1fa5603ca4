import { KEPT_DAYS, MOST_KEPT_DAYS } from '@escapement/core';
import { DECIDED_KEPT_MS } from '@escapement/core/plan';
import { type Database, query } from './postgres/database.ts';
import { keptDays } from './tasks/kept-days.ts';

/** So many tasks are looked at in one statement: at most some tenths of a second. */
const TASKS_A_BATCH = 10_000;

/** A batch of runs that went. */
export interface PrunedBatch {
  gone: number;
  /** The next batch begins after this task; null: with the first one. */
  after: string | null;
  /** There may be more to delete. */
  more: boolean;
}

/**
 * Deletes finished runs older than their task's retention, keeping the last run of each task, with their attempts and
 * logs. Those of tasks with the longest retention go with their week, as a whole, at no cost a row. One batch, bounded by runs that go
 * (`limit`) and by tasks that are looked at (`tasks`, default 10,000).
 */
export async function pruneRuns(
  db: Database,
  { after, limit, tasks = TASKS_A_BATCH }: { after: string | null; limit: number; tasks?: number },
): Promise<PrunedBatch> {
  const [row] = await query<{ gone: number; last: string | null }>(db.pool, 'prune_runs', PRUNE_RUNS, [
    db.namespace,
    limit,
    after,
    tasks,
  ]);
  const { gone = 0, last = null } = row ?? {};
  // Of these tasks there may be more.
  if (gone === limit) return { gone, after, more: true };
  return { gone, after: last, more: last !== null };
}

const PRUNE_RUNS = `
WITH longest AS (
  SELECT least(greatest(${KEPT_DAYS}, max((definition->>'retentionDays')::integer)), ${MOST_KEPT_DAYS}) AS days FROM task
), weeks AS (
  SELECT to_at AS from_at FROM partitions_of('run') WHERE from_at IS NULL
), kept AS MATERIALIZED (
  SELECT t.id, now() - make_interval(days => d.days) AS until,
    CASE WHEN d.days < l.days THEN now() - make_interval(days => d.days) ELSE w.from_at END AS until_due
  FROM task t, longest l, weeks w, LATERAL (SELECT ${keptDays('t')} AS days) d
  WHERE t.namespace = $1 AND ($3::uuid IS NULL OR t.id > $3) ORDER BY t.id LIMIT $4
), old AS (
  SELECT r.id, r.scheduled_for, r.finished_at FROM kept t
  CROSS JOIN LATERAL (
    SELECT r.id, r.scheduled_for, r.finished_at FROM any_run r
    WHERE r.task_id = t.id AND r.scheduled_for < least(t.until, t.until_due)
      -- Asked of the rows that were found: to look up the last run of each task, in each week, took most of the time.
      AND EXISTS (SELECT FROM any_run l WHERE l.task_id = r.task_id AND l.scheduled_for > r.scheduled_for AND l.attempt > 0 OFFSET 0)
    ORDER BY r.scheduled_for LIMIT $2
  ) r
  WHERE r.finished_at < t.until
  LIMIT $2
), failures AS (
  DELETE FROM failure f USING old o WHERE f.namespace = $1 AND f.run_id = o.id
), attempts AS (
  DELETE FROM attempt a USING old o WHERE a.run_id = o.id AND a.scheduled_for = o.scheduled_for
), logs AS (
  -- By day of writing, so that only those partitions are looked at; what came later goes with its partition.
  DELETE FROM run_log_chunk c USING old o
  WHERE c.run_id = o.id AND c.written_at BETWEEN o.scheduled_for - interval '1 day' AND o.finished_at + interval '1 day'
), gone AS (
  DELETE FROM run r USING old o WHERE r.id = o.id AND r.scheduled_for = o.scheduled_for RETURNING 1
)
SELECT (SELECT count(*)::integer FROM gone) AS gone, (SELECT id FROM kept ORDER BY id OFFSET $4 - 1 LIMIT 1) AS last`;

/** Of runs that ended before it was their turn. */
const PRUNE_RATE_WAITS = `DELETE FROM rate_wait w WHERE NOT EXISTS (SELECT FROM any_run r
  WHERE r.id = w.run_id AND r.scheduled_for = w.scheduled_for AND r.state IN ('planned', 'queued', 'retrying', 'waiting'))`;

/** A bucket with all its tokens is as good as none. */
const PRUNE_RATES = `WITH gone AS (
  DELETE FROM rate_bucket b WHERE b.last_at < now() - least(greatest(b.longest_ms, 0), 1e12) * interval '1 ms'
    AND NOT EXISTS (SELECT FROM rate_wait w WHERE w.namespace = b.namespace AND w.rate_key = b.rate_key)
  RETURNING b.namespace, b.rate_key
)
DELETE FROM rate_start s USING gone g WHERE s.namespace = g.namespace AND s.rate_key = g.rate_key`;

/** Those whose run is no more: nobody could ask for their results by it. */
const PRUNE_BATCHES = `DELETE FROM batch b WHERE b.ended_at < now() - interval '1 day'
  AND NOT EXISTS (SELECT FROM any_run r WHERE r.id = b.run_id AND r.scheduled_for = b.run_scheduled_for)`;

/**
 * Those of people as long as the rows that they kept from running. Runs make one each; who verifies the ledger asks for young ones only.
 * From the last pause after failures on they are counted anew.
 */
const PRUNE_PAUSES = `DELETE FROM task_pause p USING task t, task_plan plan
  WHERE t.id = p.task_id AND plan.task_id = t.id AND (plan.next_run_at IS NULL OR plan.next_run_at >= p.until_at)
    AND p.until_at < now() - CASE WHEN p.run_id IS NOT NULL THEN interval '${DECIDED_KEPT_MS} ms'
      ELSE make_interval(days => ${keptDays('t')} + 7) END
    AND (p.failures IS NULL OR EXISTS (SELECT FROM task_pause l WHERE l.task_id = p.task_id AND l.failures IS NOT NULL AND l.from_at > p.from_at))`;

/** No message to come is about them. */
const PRUNE_ALERTS = `DELETE FROM alert a WHERE a.state = 'resolved' AND a.resolved_at < now() - interval '90 days' AND a.tell IS NULL`;

/** Those of weeks that are gone, but for the runs that were kept of them. */
const PRUNE_FAILURES = `DELETE FROM failure f USING (
    SELECT old.namespace, old.run_id FROM failure old
    WHERE old.namespace = $1 AND old.run_id < (
        SELECT (lpad(to_hex((extract(epoch FROM w.to_at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid FROM partitions_of('run') w WHERE w.from_at IS NULL)
      AND NOT EXISTS (SELECT FROM any_run r WHERE r.id = old.run_id AND r.scheduled_for = old.scheduled_for)
    ORDER BY old.run_id LIMIT 5000) gone
  WHERE f.namespace = gone.namespace AND f.run_id = gone.run_id`;

/** As long as the rows of these occurrences. */
const PRUNE_OCCURRENCE_WORKERS = `DELETE FROM occurrence_workers o WHERE NOT EXISTS (SELECT FROM task t WHERE t.id = o.task_id
  AND o.scheduled_for >= now() - make_interval(days => ${keptDays('t')} + 7))`;

/**
 * Forgets processes that have not sent a heartbeat for a day, messages of more than 30 days ago, alerts that were over 90 days ago, deployments that were not seen and
 * what people did for more than a year, what they asked the schedulers, and by which keys they triggered, more than a day ago, batches whose run was pruned, and after 30 days what was to follow a run
 * and was given up; rates of which nothing counts any more; pauses that nobody needs any more;
 * sessions of browsers 30 days after they were over, tries to sign in of more than an hour ago, and pings of more than 90 days ago.
 */
export async function pruneSmallTables(db: Database): Promise<void> {
  // The queues of workers of another namespace are removed by its own schedulers, if it has any.
  await query(
    db.pool,
    'prune_processes',
    `DELETE FROM process WHERE heartbeat_at < now() - interval '1 day'
       AND (namespace = $1 OR name IS NULL OR heartbeat_at < now() - interval '7 days')`,
    [db.namespace],
  );
  await query(
    db.pool,
    'prune_deployments',
    `DELETE FROM deployment d WHERE d.last_seen_at < now() - interval '1 year'
       AND NOT EXISTS (SELECT FROM process p WHERE p.deployment_id = d.id)`,
  );
  await query(db.pool, 'prune_alerts', PRUNE_ALERTS);
  await query(
    db.pool,
    'prune_deliveries',
    `DELETE FROM delivery WHERE state <> 'pending' AND created_at < now() - interval '30 days'`,
  );
  await query(db.pool, 'prune_silences', `DELETE FROM alert_silence WHERE until_at < now() - interval '90 days'`);
  await query(db.pool, 'prune_alerting', `DELETE FROM alerting WHERE ended_at < now() - interval '1 year'`);
  await query(
    db.pool,
    'prune_marks',
    `DELETE FROM run_mark m WHERE NOT EXISTS (SELECT FROM any_run r WHERE r.id = m.run_id AND r.scheduled_for = m.scheduled_for)`,
  );
  await query(db.pool, 'prune_rate_waits', PRUNE_RATE_WAITS);
  await query(db.pool, 'prune_rates', PRUNE_RATES);
  await query(db.pool, 'prune_batches', PRUNE_BATCHES);
  await query(db.pool, 'prune_pauses', PRUNE_PAUSES);
  await query(db.pool, 'prune_occurrence_workers', PRUNE_OCCURRENCE_WORKERS);
  await query(db.pool, 'prune_failures', PRUNE_FAILURES, [db.namespace]);
  await query(
    db.pool,
    'prune_list_fills',
    `DELETE FROM work_list_fill f WHERE NOT EXISTS (SELECT FROM any_run r WHERE r.id = f.run_id)`,
  );
  await query(
    db.pool,
    'prune_followers_outbox',
    `DELETE FROM followers_outbox WHERE given_up_at < now() - interval '30 days'`,
  );
  await query(
    db.pool,
    'prune_requests',
    `DELETE FROM request WHERE asked_at < now() - interval '1 day' AND (answered_at < now() - interval '1 day' OR coalesce(progress, '{}') = '{}')`,
  );
  await query(db.pool, 'prune_trigger_keys', `DELETE FROM trigger_key WHERE created_at < now() - interval '1 day'`);
  // Until then an address is known to be one of the user's.
  await query(db.pool, 'prune_sessions', `DELETE FROM access_session WHERE ends_at < now() - interval '30 days'`);
  await query(db.pool, 'prune_sign_in_codes', `DELETE FROM sign_in_code WHERE ends_at < now() - interval '1 hour'`);
  await query(db.pool, 'prune_sign_ins', `DELETE FROM sign_in_count WHERE since < now() - interval '1 hour'`);
  await query(db.pool, 'prune_pings', `DELETE FROM monitor_ping WHERE at < now() - interval '90 days'`);
  await query(db.pool, 'prune_cron_reports', `DELETE FROM cron_report WHERE told_at < now() - interval '90 days'`);
  await query(db.pool, 'prune_audit', 'SELECT prune_audit()');
}
