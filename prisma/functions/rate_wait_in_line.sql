-- Notes that a run waits for a token of a rate, its task's or its pool's, and tells the keepers. A run waits for one rate at a time: where
-- the other one has a token, others may take that. Answers the run's reason: the rate, and when
-- it may be its turn, if nobody before it gives up. Of these 1,000 are counted, so that a long wait queue costs no more than a short one.
CREATE OR REPLACE FUNCTION "rate_wait_in_line"(
  p_namespace text, p_rate_key text, p_task uuid, p_scheduled_for timestamptz, p_run uuid, p_key text, p_opens_at timestamptz
) RETURNS text LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
DECLARE
  v_reason text;
BEGIN
  DELETE FROM rate_wait w USING run r
  -- Equivalent mutant (predicate removed, w.rate_key): the row is written again by the next statement, with the same values.
  WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND w.namespace = p_namespace AND w.rate_key <> p_rate_key
    AND w.rate_key = ANY (ARRAY[r.rate_key, pool_rate_key(r.pool)]) AND w.scheduled_for = p_scheduled_for AND w.run_id = p_run;
  INSERT INTO rate_wait AS w (namespace, rate_key, scheduled_for, run_id, key)
  VALUES (p_namespace, p_rate_key, p_scheduled_for, p_run, p_key)
  ON CONFLICT (namespace, rate_key, scheduled_for, run_id) DO UPDATE SET woken_at = NULL;
  SELECT format('over the rate of %s in %s %s: may start at %s', t.rate_limit,
    CASE WHEN t.rate_per_ms % 1000 = 0 THEN t.rate_per_ms / 1000 || ' s' ELSE t.rate_per_ms || ' ms' END,
    CASE WHEN p_rate_key LIKE '@pool:%' THEN format('of the pool "%s"', substr(p_rate_key, 7)) ELSE format('under "%s"', p_rate_key) END,
    to_char(greatest(rate_turn_at(p_namespace, p_rate_key, p_task, p_scheduled_for, p_run, 1000), p_opens_at) AT TIME ZONE 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  INTO v_reason FROM rate_of(p_namespace, p_rate_key, p_task) t;
  UPDATE run r SET reason = v_reason, blocked_by = NULL WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.state = 'waiting';
  PERFORM pg_notify('escapement_wake', p_namespace || ' rate');
  RETURN v_reason;
END $$;
