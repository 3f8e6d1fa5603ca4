-- Takes a slot from the run that was seen on it under the fence that was seen: raises the fence, so that no result of the
-- old holder is accepted, ends its run where that is open, and gives the slot to the next in the wait queue. A null fence in the
-- answer: run or slot have changed, nothing was done. `woken`: the runs of the wait queue, whose jobs the caller adds.
CREATE OR REPLACE FUNCTION "release_key_slot"(
  p_namespace text, p_key text, p_slot integer, p_run uuid, p_scheduled_for timestamptz, p_fence bigint,
  p_finish_id uuid, p_reason text, p_who text, p_note text, p_cancel_channel text
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
  SELECT r.* INTO v_run FROM run r WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for FOR UPDATE;
  UPDATE key_slot s SET fence = s.fence + 1
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
      cancel_requested_by = CASE WHEN r.cancel_requested_at IS NULL THEN p_who ELSE r.cancel_requested_by END,
      cancel_reason = CASE WHEN r.cancel_requested_at IS NULL THEN p_note ELSE r.cancel_reason END
    WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for;
    SELECT coalesce(jsonb_agg(s.woken) FILTER (WHERE s.result = 'woken'), '[]') INTO v_woken FROM finish_runs(
      p_run => ARRAY[p_run], p_scheduled_for => ARRAY[p_scheduled_for], p_from_state => ARRAY[v_run.state],
      p_dispatch => ARRAY[v_run.dispatch], p_attempt => ARRAY[v_run.attempt], p_fence => ARRAY[NULL::bigint],
      p_finish_id => ARRAY[p_finish_id], p_to_state => ARRAY['cancelled'], p_reason => ARRAY[p_reason],
      p_retry_at => ARRAY[NULL::timestamptz], p_attempt_outcome => ARRAY[NULL::text], p_lost => ARRAY[false],
      p_spared => ARRAY[false], p_error => ARRAY[NULL::jsonb], p_output => ARRAY[NULL::jsonb],
      p_exit_code => ARRAY[NULL::integer], p_blocked_by => ARRAY[NULL::uuid], p_from_end => ARRAY[NULL::boolean]) s;
  ELSE
    UPDATE key_slot s SET run_id = NULL, run_scheduled_for = NULL, worker = NULL, since = NULL
    WHERE s.namespace = p_namespace AND s.key = p_key AND s.slot = p_slot;
    SELECT coalesce(jsonb_agg(jsonb_build_object('id', w.run_id, 'pool', w.pool, 'dispatch', w.dispatch, 'key', w.key,
      'slot', w.slot, 's', round(extract(epoch FROM w.scheduled_for) * 1000), 'd', round(extract(epoch FROM w.due_at) * 1000))), '[]')
    INTO v_woken FROM wake_waiting(p_namespace, ARRAY[p_key]) w;
  END IF;

  INSERT INTO audit (namespace, actor, action, subject, reason, detail)
  SELECT p_namespace, p_who, 'release', i.subject, p_note,
    i.detail || jsonb_build_object('slot', p_slot, 'worker', v_worker, 'fence', v_fence)
  FROM (VALUES ('key:' || p_key, jsonb_build_object('run', p_run)), ('run:' || p_run, jsonb_build_object('key', p_key)))
    AS i(subject, detail);
  PERFORM pg_notify(p_cancel_channel, p_namespace);
  RETURN QUERY SELECT v_fence, v_cancelled, v_woken;
END $$;
