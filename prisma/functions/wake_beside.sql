-- Wakes a run that waits for nothing but a token of its task's rate, since its task lets runs overlap: it takes no slot. One
-- that somebody has locked, or that is to be cancelled, stays.
CREATE OR REPLACE FUNCTION "wake_beside"(p_namespace text, p_rate_key text, p_run uuid, p_scheduled_for timestamptz) RETURNS TABLE (
  "run_id" uuid, "scheduled_for" timestamptz, "pool" text, "due_at" timestamptz, "dispatch" integer, "key" text, "slot" integer
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_run record;
BEGIN
  SELECT r.task_id, r.key INTO v_run FROM run r
  WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.state = 'waiting' AND r.cancel_requested_at IS NULL
    AND (r.wait_until IS NULL OR r.wait_until > now())
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND OR NOT rate_reserve(p_namespace, p_rate_key, v_run.task_id, p_scheduled_for, p_run, v_run.key, true) THEN
    RETURN;
  END IF;
  RETURN QUERY
    UPDATE run r SET state = 'queued', dispatch = r.dispatch + 1, reason = NULL
    WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for
    RETURNING r.id, r.scheduled_for, r.pool, r.due_at, r.dispatch, r.key, r.slot;
END $$;
