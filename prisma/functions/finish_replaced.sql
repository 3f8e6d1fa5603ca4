-- Ends what a replacing run need not ask: older runs of its key that wait to replace, or have a slot and are not at work.
-- True: a slot has become free.
CREATE OR REPLACE FUNCTION "finish_replaced"(p_namespace text, p_key text, p_by uuid) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_ends record;
BEGIN
  SELECT array_agg(e.id ORDER BY e.id) AS ids, array_agg(e.scheduled_for ORDER BY e.id) AS times,
    array_agg(e.state ORDER BY e.id) AS states, array_agg(e.dispatch ORDER BY e.id) AS dispatches,
    array_agg(e.attempt ORDER BY e.id) AS attempts, count(*)::integer AS many, bool_or(e.has_slot) AS frees,
    array_agg(CASE WHEN e.attempt = 0 THEN 'skipped' ELSE 'cancelled' END ORDER BY e.id) AS ends,
    array_agg(CASE WHEN e.attempt = 0 THEN 'replaced by run ' || p_by || ' before it started'
      ELSE 'cancelled between attempts: replaced by run ' || p_by END ORDER BY e.id) AS reasons
  INTO v_ends
  FROM (
    SELECT w.id, w.scheduled_for, w.state, w.dispatch, w.attempt, false AS has_slot FROM run w
    WHERE w.namespace = p_namespace AND w.key = p_key AND w.phase = 'waiting' AND w.overlap = ANY (overlap_policies('replacing'))
      AND w.attempt = 0 AND w.id <> p_by
    UNION ALL
    SELECT h.id, h.scheduled_for, h.state, h.dispatch, h.attempt, true FROM key_slot s
    JOIN run h ON h.id = ANY (ARRAY[s.run_id]) AND h.scheduled_for = s.run_scheduled_for
    WHERE s.namespace = p_namespace AND s.key = p_key AND h.slot = s.slot AND h.id <> p_by
      AND (h.state = 'retrying' OR h.state = 'queued' AND (h.attempt > 0 OR h.overlap = ANY (overlap_policies('replacing'))))
  ) e;
  IF v_ends.many > 0 THEN
    PERFORM finish_runs(v_ends.ids, v_ends.times, v_ends.states, v_ends.dispatches, v_ends.attempts,
      array_fill(NULL::bigint, ARRAY[v_ends.many]),
      (SELECT array_agg(gen_random_uuid()) FROM generate_series(1, v_ends.many)), v_ends.ends, v_ends.reasons,
      array_fill(NULL::timestamptz, ARRAY[v_ends.many]), array_fill(NULL::text, ARRAY[v_ends.many]),
      array_fill(false, ARRAY[v_ends.many]), array_fill(false, ARRAY[v_ends.many]),
      array_fill(NULL::jsonb, ARRAY[v_ends.many]), array_fill(NULL::jsonb, ARRAY[v_ends.many]),
      array_fill(NULL::integer, ARRAY[v_ends.many]), array_fill(p_by, ARRAY[v_ends.many]),
      array_fill(NULL::boolean, ARRAY[v_ends.many]));
  END IF;
  RETURN coalesce(v_ends.frees, false);
END $$;
