-- Ends what a replacing run need not ask: older runs of its key that wait to replace, or have a slot and are not at work.
-- Runs that were made to run in their turn (wait-all) are left alone. True: a slot has become free.
CREATE OR REPLACE FUNCTION "finish_replaced"(p_namespace text, p_key text, p_by uuid) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_finishes jsonb;
  v_frees boolean;
BEGIN
  SELECT jsonb_agg(jsonb_build_object('run_id', e.id, 'scheduled_for', e.scheduled_for, 'from_state', e.state,
      'dispatch', e.dispatch, 'attempt', e.attempt, 'finish_id', gen_random_uuid(), 'blocked_by', p_by,
      'to_state', CASE WHEN e.attempt = 0 THEN 'skipped' ELSE 'cancelled' END,
      'reason', CASE WHEN e.attempt = 0 THEN 'replaced by run ' || p_by || ' before it started'
        ELSE 'cancelled between attempts: replaced by run ' || p_by END) ORDER BY e.id), bool_or(e.has_slot)
  INTO v_finishes, v_frees
  FROM (
    SELECT w.id, w.scheduled_for, w.state, w.dispatch, w.attempt, false AS has_slot FROM run w
    -- Equivalent mutant (predicate removed, w.namespace): finish_runs leaves runs of another namespace alone.
    WHERE w.namespace = p_namespace AND w.key = p_key AND w.phase = 'waiting' AND w.overlap = ANY (overlap_policies('replacing'))
      AND w.attempt = 0 AND w.id <> p_by
    UNION ALL
    SELECT h.id, h.scheduled_for, h.state, h.dispatch, h.attempt, true FROM key_slot s
    JOIN run h ON h.id = ANY (ARRAY[s.run_id]) AND h.scheduled_for = s.run_scheduled_for
    WHERE s.namespace = p_namespace AND s.key = p_key AND h.slot = s.slot AND h.id <> p_by AND h.overlap <> ALL (overlap_policies('in-turn'))
      AND (h.state = 'retrying' OR h.state = 'queued' AND (h.attempt > 0 OR h.overlap = ANY (overlap_policies('replacing'))))
  ) e;
  IF v_finishes IS NOT NULL THEN
    PERFORM finish_runs(p_namespace, v_finishes);
  END IF;
  RETURN coalesce(v_frees, false);
END $$;
