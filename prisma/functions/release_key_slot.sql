-- Takes a slot from the run that was seen on it under the fence that was seen: raises the fence, so that no result of the
-- old holder is accepted, ends its run where that is open, and gives the slot to the next in the wait queue. A null fence in the
-- answer: run or slot have changed, nothing was done. `woken`: the runs of the wait queue, whose jobs the caller adds.
CREATE OR REPLACE FUNCTION "release_key_slot"(
  p_namespace text, p_key text, p_slot integer, p_run uuid, p_scheduled_for timestamptz, p_fence bigint,
  p_finish_id uuid, p_reason text, p_by jsonb, p_cancel_channel text
) RETURNS TABLE ("fence" bigint, "cancelled" boolean, "woken" jsonb)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_run run%ROWTYPE;
  v_worker text;
  v_fence bigint;
  v_cancelled boolean;
  v_woken jsonb := '[]';
BEGIN
  -- Runs before slots, as in every statement.
  SELECT r.* INTO v_run FROM run r WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.namespace = p_namespace FOR UPDATE;
  UPDATE key_slot s SET fence = next_fence(s.fence)
  WHERE s.namespace = p_namespace AND s.key = p_key AND s.slot = p_slot AND s.run_id = p_run AND s.fence = p_fence
  RETURNING s.fence, s.worker INTO v_fence, v_worker;
  IF v_fence IS NULL THEN
    RETURN QUERY SELECT NULL::bigint, false, v_woken;
    RETURN;
  END IF;

  v_cancelled := coalesce(v_run.slot = p_slot AND v_run.state IN ('running', 'retrying', 'planned', 'queued'), false);
  IF v_cancelled THEN
    -- For the worker, which asks what became of the runs that it holds.
    UPDATE run r SET cancel_requested_at = coalesce(r.cancel_requested_at, now()),
      cancel_requested_by = CASE WHEN r.cancel_requested_at IS NULL THEN p_by->>'name' ELSE r.cancel_requested_by END,
      cancel_reason = CASE WHEN r.cancel_requested_at IS NULL THEN p_by->>'reason' ELSE r.cancel_reason END
    WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for;
    SELECT coalesce(jsonb_agg(s.woken) FILTER (WHERE s.result = 'woken'), '[]') INTO v_woken FROM finish_runs(p_namespace,
      jsonb_build_array(jsonb_build_object('run_id', p_run, 'scheduled_for', p_scheduled_for, 'from_state', v_run.state,
        'dispatch', v_run.dispatch, 'attempt', v_run.attempt, 'finish_id', p_finish_id, 'to_state', 'cancelled',
        'reason', p_reason))) s;
  ELSE
    UPDATE key_slot s SET run_id = NULL, run_scheduled_for = NULL, worker = NULL, since = NULL
    WHERE s.namespace = p_namespace AND s.key = p_key AND s.slot = p_slot;
    SELECT coalesce(jsonb_agg(jsonb_build_object('id', w.run_id, 'queue', w.queue, 'dispatch', w.dispatch, 'key', w.key,
      'slot', w.slot, 's', round(extract(epoch FROM w.scheduled_for) * 1000), 'd', round(extract(epoch FROM w.due_at) * 1000))), '[]')
    INTO v_woken FROM wake_waiting(p_namespace, ARRAY[p_key]) w;
  END IF;

  INSERT INTO audit (principal_kind, principal_id, principal_name, principal_address, reason, request_id, namespace, action, subject,
    detail)
  SELECT who.*, p_namespace, 'release', i.subject, i.detail || jsonb_build_object('slot', p_slot, 'worker', v_worker, 'fence', v_fence)
  FROM (VALUES ('key:' || p_key, jsonb_build_object('run', p_run)), ('run:' || p_run, jsonb_build_object('key', p_key)))
    AS i(subject, detail), acting(p_by) who;
  PERFORM pg_notify(p_cancel_channel, p_namespace);
  RETURN QUERY SELECT v_fence, v_cancelled, v_woken;
END $$;
