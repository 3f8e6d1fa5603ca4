-- The run of the key that goes before this one: of an order the oldest first the earliest that is due and has not begun
-- (I13), of an order the newest first the newest. Null: none does. p_together: runs that are about to begin in the same statement, none
-- after one that goes before it; where the oldest is first they are not in its way.
CREATE OR REPLACE FUNCTION "wait_queue_ahead"(p_namespace text, p_key text, p_overlap text, p_scheduled_for timestamptz, p_run uuid,
  p_together uuid[] DEFAULT NULL)
RETURNS uuid LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT CASE
    WHEN p_overlap = ANY (overlap_policies('oldest-first')) THEN (SELECT e.id FROM run e
      WHERE e.namespace = p_namespace AND e.key = p_key AND e.overlap = ANY (overlap_policies('oldest-first'))
        AND run_is_in_line(e.phase, e.state, e.attempt, e.due_at, e.cancel_requested_at, e.wait_until)
        -- Equivalent mutant (predicate removed, e.scheduled_for): the next condition says the same: this one leaves out partitions.
        AND e.scheduled_for <= p_scheduled_for AND (e.scheduled_for, e.id) < (p_scheduled_for, p_run)
        AND (p_together IS NULL OR e.id <> ALL (p_together))
      ORDER BY e.scheduled_for, e.id LIMIT 1)
    WHEN p_overlap = ANY (overlap_policies('newest-first')) THEN (SELECT e.id FROM run e
      WHERE e.namespace = p_namespace AND e.key = p_key AND e.overlap = ANY (overlap_policies('newest-first'))
        AND run_is_in_line(e.phase, e.state, e.attempt, e.due_at, e.cancel_requested_at, e.wait_until)
        -- Equivalent mutant (predicate removed, e.scheduled_for): the next condition says the same: this one leaves out partitions.
        AND e.scheduled_for >= p_scheduled_for AND (e.scheduled_for, e.id) > (p_scheduled_for, p_run)
      ORDER BY e.scheduled_for DESC, e.id DESC LIMIT 1)
  END;
$$;
