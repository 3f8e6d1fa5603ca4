-- Takes back what an earlier run of a task has decided about the next one, as long as that has not begun.
CREATE OR REPLACE FUNCTION "forget_next"(p_task uuid, p_reason text) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  DELETE FROM followers_outbox f WHERE f.task_id = p_task AND f.event = 'next';
  UPDATE task_pause p SET until_at = greatest(date_trunc('milliseconds', now()), p.from_at)
  WHERE p.task_id = p_task AND p.run_id IS NOT NULL AND (p.until_at IS NULL OR p.until_at > now());
  UPDATE run r SET state = 'superseded', reason = p_reason, finished_at = now()
  -- Equivalent mutant (predicate removed, r.origin): only a run of this origin has the ordinal -1.
  WHERE r.task_id = p_task AND r.scheduled_for > now() AND r.origin = 'chain' AND r.ordinal = -1 AND r.attempt = 0
    AND r.state IN ('planned', 'queued');
END $$;
