import type { Database } from '@escapement/store';

/** What a fleet has to do. */
export interface OpenWork {
  /** What is to be done now, in words; empty: nothing. */
  now: string[];
  /** When there is something to do next; null: never. */
  nextAt: Date | null;
}

/** At most so many are named. */
const MAX_NAMED = 10;
/** What is due so soon is due now: instants are rounded to milliseconds, and rows are made while this looks. */
const AT_ONCE_MS = 50;

/** What is due, under way, or follows from it; and the next instant at which something will be. */
export async function openWork(db: Database): Promise<OpenWork> {
  const { rows } = await db.pool.query<{ due: boolean; what: string; at: Date | null }>(OPEN_WORK, [
    db.namespace,
    MAX_NAMED,
    AT_ONCE_MS,
  ]);
  return {
    now: rows.filter(({ due }) => due).map(({ what }) => what),
    nextAt: rows.find(({ due }) => !due)?.at ?? null,
  };
}

// A run that waits for its key is behind one that is under way, or between two attempts: only the latter takes time.
// A batch goes on when a child has ended, when there is room for more of them, and when none is left that could end.
// What a person has to decide (held, unknown) is no work of the fleet.
const OPEN_WORK = `
WITH open AS MATERIALIZED (
  SELECT r.*, t.name FROM run r JOIN task t ON t.id = r.task_id
  WHERE r.namespace = $1 AND r.state IN ('planned', 'queued', 'running', 'retrying', 'waiting')
), rated AS MATERIALIZED (
  -- The first of a bucket goes when its token is back; those behind it, and those whose key is held up, after it.
  SELECT DISTINCT ON (w.rate_key) w.rate_key, b.opens_at FROM rate_wait w JOIN open o ON o.id = w.run_id AND o.state = 'waiting'
  LEFT JOIN LATERAL rate_of(w.namespace, w.rate_key, o.task_id) t ON true
  CROSS JOIN LATERAL (SELECT (SELECT s.started_at + t.rate_per_ms * interval '1 ms' FROM rate_start s JOIN rate_bucket b
    ON b.namespace = s.namespace AND b.rate_key = s.rate_key
    WHERE s.namespace = w.namespace AND s.rate_key = w.rate_key AND s.number = b.taken + 1 - t.rate_limit) AS opens_at) b
  WHERE w.namespace = $1 ORDER BY w.rate_key, w.scheduled_for, w.run_id
), work AS (
  SELECT format('task %s is due', t.name) AS what, plan.plan_at AS at
  FROM task_plan plan JOIN task t ON t.id = plan.task_id WHERE plan.namespace = $1 AND plan.next_run_at IS NOT NULL
  UNION ALL
  SELECT format('run %s of %s is %s, attempt %s', id, name, state, attempt),
    CASE WHEN state = 'running' THEN now() ELSE due_at END FROM open WHERE state <> 'waiting'
  UNION ALL
  SELECT format('run %s of %s has to start', id, name), start_by FROM open WHERE attempt = 0 AND start_by > now()
  UNION ALL
  SELECT format('run %s of %s waits for its rate %s', w.id, w.name, w.rate_key), least(w.wait_until, coalesce(d.opens_at, now()))
  FROM open w JOIN rated d ON d.rate_key = w.rate_key WHERE w.state = 'waiting' AND w.blocked_by IS NULL
    AND NOT EXISTS (SELECT FROM open h WHERE h.key = w.key AND h.state = 'retrying')
  UNION ALL
  SELECT format('run %s of %s waits for its key %s', w.id, w.name, w.key), wait_until FROM open w
  WHERE w.state = 'waiting' AND EXISTS (SELECT FROM open h WHERE h.key = w.key AND h.state = 'retrying')
  UNION ALL
  SELECT format('run %s of %s waits for its key %s', w.id, w.name, w.key), now() FROM open w
  WHERE w.state = 'waiting' AND w.blocked_by IS NOT NULL AND NOT EXISTS (SELECT FROM open h WHERE h.key = w.key AND h.state = 'retrying')
  UNION ALL
  SELECT format('%s of run %s is to be followed up', event, run_id) || coalesce(': ' || error, ''), not_before
  FROM followers_outbox WHERE namespace = $1
  UNION ALL
  SELECT format('a change of task %s', name), effective_at FROM task_change WHERE namespace = $1 AND error IS NULL
  UNION ALL
  SELECT format('batch %s', b.id), now() FROM batch b
  WHERE b.namespace = $1 AND b.state IN ('running', 'stopping', 'cancelling')
    AND (NOT EXISTS (SELECT FROM open c WHERE c.batch_id = b.id)
      OR EXISTS (SELECT FROM batch_note n WHERE n.batch_id = b.id)
      OR b.state = 'running' AND b.made < b.total
        AND b.concurrency > (SELECT count(*) FROM open c WHERE c.batch_id = b.id))
  UNION ALL
  SELECT format('backfill %s', id), now() FROM backfill WHERE namespace = $1 AND state = 'running'
)
(SELECT true AS due, what, at FROM work WHERE at <= now() + $3 * interval '1 ms' LIMIT $2)
UNION ALL
(SELECT false, 'next', min(at) FROM work WHERE at > now() + $3 * interval '1 ms')`;
