-- Rolls up hours of tasks: writes what the ledger says of each pair (p_tasks, p_hours). For whoever has locked the row of roll_up: who read
-- the ledger earlier must not write later. Says how many rows it wrote.
CREATE OR REPLACE FUNCTION "roll_up_tasks"(p_tasks uuid[], p_hours timestamptz[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_written integer;
BEGIN
  INSERT INTO task_hour AS h (task_id, hour, runs, started, succeeded, failed, timed_out, quarantined, skipped, missed, superseded, cancelled, took, late)
  SELECT e.* FROM ended_by_hour(p_tasks, p_hours) e ORDER BY e.task_id, e.hour
  ON CONFLICT (task_id, hour) DO UPDATE SET runs = excluded.runs, started = excluded.started, succeeded = excluded.succeeded,
    failed = excluded.failed, timed_out = excluded.timed_out, quarantined = excluded.quarantined, skipped = excluded.skipped,
    missed = excluded.missed, superseded = excluded.superseded, cancelled = excluded.cancelled, took = excluded.took, late = excluded.late
  -- Nothing to write where it is so already.
  WHERE h IS DISTINCT FROM excluded;
  GET DIAGNOSTICS v_written = ROW_COUNT;
  RETURN v_written;
END $$;
