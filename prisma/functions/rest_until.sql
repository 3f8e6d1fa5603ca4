-- Lets the schedule of a task rest until a run's own next date; null: for good. The row of its last rest is used again where nobody needs
-- it any more: it is over, the planner has gone past it, and no row of the ledger lies in it. Else a task that decides each time would
-- leave a row a run; the others are pruned.
CREATE OR REPLACE FUNCTION "rest_until"(p_task uuid, p_run uuid, p_next timestamptz) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_note text := CASE WHEN p_next IS NULL THEN 'run ' || p_run || ' asked for no further run'
    ELSE format('run %s asked for its next run at %s', p_run, to_char(p_next AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) END;
BEGIN
  UPDATE task_pause p SET from_at = now(), until_at = p_next + interval '1 ms', note = v_note, created_by = 'run:' || p_run, run_id = p_run,
    created_at = now(), asked_late = false
  FROM task_plan plan
  WHERE p.id = (SELECT l.id FROM task_pause l WHERE l.task_id = p_task AND l.run_id IS NOT NULL AND l.until_at <= now()
      ORDER BY l.until_at DESC LIMIT 1)
    AND plan.task_id = p_task AND (plan.next_run_at IS NULL OR plan.next_run_at >= p.until_at)
    AND NOT EXISTS (SELECT FROM any_run r WHERE r.task_id = p_task AND r.scheduled_for >= p.from_at AND r.scheduled_for < p.until_at
      AND r.origin IN ('schedule', 'catch_up'));
  IF NOT FOUND THEN
    INSERT INTO task_pause (task_id, from_at, until_at, note, created_by, run_id)
    VALUES (p_task, now(), p_next + interval '1 ms', v_note, 'run:' || p_run, p_run);
  END IF;
END $$;
