-- Rolls up hours of tasks: writes what the ledger says of each pair (p_tasks, p_hours), and deletes what stands for one of which it says
-- nothing. For whoever has locked the row of roll_up: who read the ledger earlier must not write later.
CREATE OR REPLACE FUNCTION "roll_up_tasks"(p_tasks uuid[], p_hours timestamptz[]) RETURNS void LANGUAGE sql AS $$
  WITH ended AS MATERIALIZED (
    SELECT e.* FROM ended_by_hour(p_tasks, p_hours) e
  ), gone AS (
    DELETE FROM task_hour h USING unnest(p_tasks, p_hours) AS p(task_id, hour)
    WHERE h.task_id = p.task_id AND h.hour = p.hour AND (p.task_id, p.hour) NOT IN (SELECT e.task_id, e.hour FROM ended e)
  )
  INSERT INTO task_hour AS h (task_id, hour, runs, started, succeeded, failed, timed_out, quarantined, skipped, missed, superseded, cancelled, took, late)
  SELECT e.* FROM ended e ORDER BY e.task_id, e.hour
  ON CONFLICT (task_id, hour) DO UPDATE SET runs = excluded.runs, started = excluded.started, succeeded = excluded.succeeded,
    failed = excluded.failed, timed_out = excluded.timed_out, quarantined = excluded.quarantined, skipped = excluded.skipped,
    missed = excluded.missed, superseded = excluded.superseded, cancelled = excluded.cancelled, took = excluded.took, late = excluded.late
  -- Nothing to write where it is so already.
  WHERE h IS DISTINCT FROM excluded
$$;
