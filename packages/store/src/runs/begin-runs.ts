import type { Database } from '../database.ts';
import { weekStatement } from '../partitions/week-statement.ts';
import { BEGUN_COLUMNS, type BeginRequest, type BeginResult, type BegunRow, toBegunRun } from './begin-result.ts';
import { whyNotBegun } from './why-not-begun.ts';

/** Begins runs by compare-and-set, each under a new fence of its slot. At most one member per slot. */
export async function beginRuns(db: Database, batch: readonly BeginRequest[]): Promise<BeginResult[]> {
  const rows = await beginRows(db, batch, [
    batch.map((each) => each.runId),
    batch.map((each) => each.scheduledFor.toISOString()),
    batch.map((each) => each.dispatch),
    batch.map((each) => each.beginId),
    batch.map((each) => each.slot),
    batch.map((each) => each.worker),
  ]);
  const begun = new Map(rows.map((row) => [row.begin_id, row]));
  const refused = batch.filter((each) => !begun.has(each.beginId));
  const reasons = refused.length > 0 ? await whyNotBegun(db, refused) : new Map<string, BeginResult>();
  return batch.map((each) => {
    const row = begun.get(each.beginId);
    return row ? { kind: 'begun', run: toBegunRun(row) } : (reasons.get(each.beginId) ?? { kind: 'stale' });
  });
}

// Runs are locked before slots, each in key order: no deadlock. The slot is taken only if no open run has it, so
// that after a FLUSHALL of Redis the row still keeps the second one out, nor while it is reserved for a run in the wait queue. The
// first slot's row says which limit the key's runs agree on: who has another one counts the holders under that row's lock.
// Rows are joined by `= ANY (ARRAY[id])`, here and elsewhere: Postgres can follow that only by looking each id up. By a plain
// equality it may also read a whole index, which costs nothing in a partition that is empty when the plan is made.
// The run starts when it has the slot: now() is when the statement came, before all that it had to wait for.
const beginRows = weekStatement<BegunRow>(
  'begin_runs',
  (run) => `
WITH input AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::uuid[], $5::integer[], $6::text[])
    AS i(run_id, scheduled_for, dispatch, begin_id, slot, worker)
), locked AS MATERIALIZED (
  SELECT i.*, r.namespace, r.key, r.key_limit, r.task_id, r.attempt, r.origin, r.plan_epoch
  FROM input i
  JOIN ${run} r ON r.id = ANY (ARRAY[i.run_id]) AND r.scheduled_for = i.scheduled_for
  WHERE (r.state = 'queued' AND r.dispatch = i.dispatch OR r.state IN ('planned', 'retrying') AND r.dispatch = i.dispatch - 1)
    AND r.due_at <= now()
    AND (r.misfire_at IS NULL OR r.misfire_at > now() OR r.attempt > 0 OR i.dispatch > 1)
    AND (i.slot IS NULL OR i.slot BETWEEN 1 AND r.key_limit)
    AND r.cancel_requested_at IS NULL
    AND (r.start_by IS NULL OR r.attempt > 0 OR r.start_by >= now())
    AND (r.attempt > 0 OR r.overlap NOT IN ('wait-all', 'replace')
      OR line_ahead(r.namespace, r.key, r.overlap, r.scheduled_for, r.id) IS NULL)
  ORDER BY r.namespace, r.key, r.id
  FOR UPDATE OF r
), picked AS MATERIALIZED (
  SELECT l.* FROM locked l CROSS JOIN LATERAL (SELECT t.* FROM task t WHERE t.id = l.task_id OFFSET 0) t
  WHERE t.deleted_at IS NULL AND (l.attempt > 0 OR l.origin NOT IN ('schedule', 'catch_up') OR
    (l.plan_epoch = t.plan_epoch OR l.scheduled_for < t.effective_at)
    AND NOT EXISTS (SELECT FROM task_pause p WHERE p.task_id = l.task_id
      AND p.from_at <= l.scheduled_for AND (p.until_at IS NULL OR l.scheduled_for < p.until_at)))
), taken AS (
  INSERT INTO key_slot AS s (namespace, key, slot, fence, run_id, run_scheduled_for, worker, since, key_limit, awaited)
  SELECT p.namespace, p.key, p.slot, 1, p.run_id, p.scheduled_for, p.worker, now(),
    CASE WHEN p.slot = 1 THEN p.key_limit ELSE 0 END, p.slot > 1
  FROM (SELECT * FROM picked WHERE slot IS NOT NULL ORDER BY namespace, key, slot OFFSET 0) p
  WHERE p.slot = 1 OR key_room_locked(p.namespace, p.key, p.key_limit, p.run_id)
  ON CONFLICT (namespace, key, slot) DO UPDATE
  SET fence = s.fence + 1, run_id = excluded.run_id, run_scheduled_for = excluded.run_scheduled_for,
    worker = excluded.worker, since = excluded.since,
    key_limit = CASE WHEN s.key_limit = excluded.key_limit OR s.slot > 1 THEN s.key_limit
      ELSE key_room(s.namespace, s.key, excluded.key_limit, excluded.run_id) END
  WHERE (s.run_id IS NULL OR s.run_id = excluded.run_id OR NOT slot_taken(s.run_id, s.run_scheduled_for, s.since))
    AND (s.key_limit = excluded.key_limit OR s.slot > 1
      OR key_room(s.namespace, s.key, excluded.key_limit, excluded.run_id) IS NOT NULL)
  RETURNING s.run_id, s.fence
), fences AS MATERIALIZED (
  SELECT jsonb_object_agg(run_id, fence) AS of FROM taken
)
UPDATE ${run} r SET state = 'running', dispatch = p.dispatch, attempt = r.attempt + 1, worker = p.worker, slot = p.slot,
  fence = coalesce((f.of ->> p.run_id::text)::bigint, p.dispatch), begin_id = p.begin_id, finish_id = NULL, started_at = clock_timestamp()
FROM picked p, fences f
WHERE r.id = ANY (ARRAY[p.run_id]) AND r.scheduled_for = p.scheduled_for AND (p.slot IS NULL OR f.of ? p.run_id::text)
RETURNING ${BEGUN_COLUMNS}`,
);
