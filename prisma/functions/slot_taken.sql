-- Whether a slot's run keeps others out: it runs, is between its attempts, or has had the slot reserved for it for less
-- than 5 s. A run that waits, is unknown or has ended does not.
CREATE OR REPLACE FUNCTION "slot_taken"(p_run uuid, p_scheduled_for timestamptz, p_since timestamptz)
RETURNS boolean LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT p_run IS NOT NULL AND EXISTS (SELECT FROM run h WHERE h.id = p_run AND h.scheduled_for = p_scheduled_for
    AND (h.state IN ('running', 'retrying') OR h.state IN ('planned', 'queued') AND h.attempt > 0
      OR h.state IN ('planned', 'queued', 'waiting') AND p_since > now() - reservation()));
$$;
