-- What the ledger says of hours of tasks: of each pair (p_tasks, p_hours) of which a row has ended, one row as task_hour has it.
-- Durations are those of the last attempts that succeeded or failed, unless a person told the end; lateness is that of the
-- last attempt, against when it was due.
CREATE OR REPLACE FUNCTION "ended_by_hour"(p_tasks uuid[], p_hours timestamptz[]) RETURNS TABLE ("task_id" uuid, "hour" timestamptz,
  "runs" integer, "started" integer, "succeeded" integer, "failed" integer, "timed_out" integer, "quarantined" integer, "skipped" integer,
  "missed" integer, "superseded" integer, "cancelled" integer, "took" jsonb, "late" jsonb)
LANGUAGE sql STABLE AS $$
  WITH pair AS MATERIALIZED (
    SELECT DISTINCT p.task_id, p.hour FROM unnest(p_tasks, p_hours) AS p(task_id, hour)
  ), ended AS MATERIALIZED (
    SELECT p.task_id, p.hour, r.state, r.occurrences, r.attempt > 0 AS started,
      CASE WHEN r.state IN ('succeeded', 'failed', 'timed_out', 'quarantined') AND NOT starts_with(coalesce(r.reason, ''), 'resolved ')
        THEN duration_bucket(r.finished_at - r.started_at) END AS took,
      CASE WHEN r.attempt > 0 THEN duration_bucket(r.started_at - r.due_at) END AS late
    FROM pair p CROSS JOIN LATERAL (
      SELECT * FROM any_run r
      WHERE r.task_id = p.task_id AND r.scheduled_for >= p.hour AND r.scheduled_for < p.hour + interval '1 hour' AND r.finished_at IS NOT NULL
    ) r
  ), took AS (
    SELECT b.task_id, b.hour, jsonb_object_agg(b.took, b.runs) AS digest
    FROM (SELECT e.task_id, e.hour, e.took, count(*) AS runs FROM ended e WHERE e.took IS NOT NULL GROUP BY 1, 2, 3) b GROUP BY 1, 2
  ), late AS (
    SELECT b.task_id, b.hour, jsonb_object_agg(b.late, b.runs) AS digest
    FROM (SELECT e.task_id, e.hour, e.late, count(*) AS runs FROM ended e WHERE e.late IS NOT NULL GROUP BY 1, 2, 3) b GROUP BY 1, 2
  ), counts AS (
    SELECT e.task_id, e.hour, count(*) AS runs, count(*) FILTER (WHERE e.started) AS started,
      count(*) FILTER (WHERE e.state = 'succeeded') AS succeeded, count(*) FILTER (WHERE e.state = 'failed') AS failed,
      count(*) FILTER (WHERE e.state = 'timed_out') AS timed_out, count(*) FILTER (WHERE e.state = 'quarantined') AS quarantined,
      coalesce(sum(e.occurrences) FILTER (WHERE e.state = 'skipped'), 0) AS skipped,
      coalesce(sum(e.occurrences) FILTER (WHERE e.state = 'missed'), 0) AS missed,
      coalesce(sum(e.occurrences) FILTER (WHERE e.state = 'superseded'), 0) AS superseded,
      coalesce(sum(e.occurrences) FILTER (WHERE e.state = 'cancelled'), 0) AS cancelled
    FROM ended e GROUP BY 1, 2
  )
  SELECT c.task_id, c.hour, c.runs::integer, c.started::integer, c.succeeded::integer, c.failed::integer, c.timed_out::integer,
    c.quarantined::integer, c.skipped::integer, c.missed::integer, c.superseded::integer, c.cancelled::integer,
    coalesce(t.digest, '{}'), coalesce(l.digest, '{}')
  FROM counts c
  LEFT JOIN took t ON t.task_id = c.task_id AND t.hour = c.hour
  LEFT JOIN late l ON l.task_id = c.task_id AND l.hour = c.hour
$$;
