-- Asks the longest running holder of the key to stop, unless one was asked already. How many were asked. A run that was made to run in its
-- turn (wait-all) is replaced by none: the one that replaces waits for it. Else it would end the runs of that line one after the other,
-- each as it begins.
CREATE OR REPLACE FUNCTION "ask_replaced"(p_namespace text, p_key text, p_by uuid, p_cancel_channel text) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_asked integer;
BEGIN
  WITH holder AS MATERIALIZED (
    SELECT h.id, h.scheduled_for, h.state, h.started_at, h.cancel_requested_at, h.overlap FROM key_slot s
    JOIN run h ON h.id = s.run_id AND h.scheduled_for = s.run_scheduled_for
    WHERE s.namespace = p_namespace AND s.key = p_key AND h.id <> p_by
  ), asked AS (
    UPDATE run r SET cancel_requested_at = now(), cancel_reason = 'replaced by run ' || p_by
    FROM (SELECT h.id, h.scheduled_for FROM holder h
      WHERE h.state = 'running' AND h.overlap <> ALL (overlap_policies('in-turn')) AND NOT EXISTS (SELECT FROM holder o WHERE o.cancel_requested_at IS NOT NULL)
      ORDER BY h.started_at, h.id LIMIT 1) first
    WHERE r.id = first.id AND r.scheduled_for = first.scheduled_for AND r.state = 'running'
      AND r.cancel_requested_at IS NULL
    RETURNING r.id
  )
  SELECT count(*) INTO v_asked FROM asked;
  IF v_asked > 0 THEN
    PERFORM pg_notify(p_cancel_channel, p_namespace);
  END IF;
  RETURN v_asked;
END $$;
