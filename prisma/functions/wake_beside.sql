-- Wakes a run that waits for nothing but a token of a rate, since its task lets runs overlap: it takes no slot. One
-- that somebody has locked, or that is to be cancelled, stays.
CREATE OR REPLACE FUNCTION "wake_beside"(p_namespace text, p_rate_key text, p_run uuid, p_scheduled_for timestamptz) RETURNS TABLE (
  "run_id" uuid, "scheduled_for" timestamptz, "queue" text, "due_at" timestamptz, "dispatch" integer, "key" text, "slot" integer
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_run record;
BEGIN
  SELECT r.task_id, r.key, r.rate_key, r.pool INTO v_run FROM run r
  WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.state = 'waiting' AND NOT run_is_cancelled(r.cancel_requested_at)
    AND NOT run_has_overwaited(r.wait_until)
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND OR rate_reserve(p_namespace, v_run.rate_key, v_run.pool, v_run.task_id, p_scheduled_for, p_run, v_run.key, p_rate_key) IS NOT NULL THEN
    RETURN;
  END IF;
  RETURN QUERY
    UPDATE run r SET state = 'queued', dispatch = r.dispatch + 1, reason = NULL
    WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for
    RETURNING r.id, r.scheduled_for, queue_of(r.pool, r.need), r.due_at, r.dispatch, r.key, r.slot;
END $$;
