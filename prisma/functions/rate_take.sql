-- Takes a token of its task's rate for a run that begins. Answers when: the run's start; null: there is none for it.
-- Called for the runs of a statement in the order of their rates' keys, after runs and slots are locked: no deadlock.
CREATE OR REPLACE FUNCTION "rate_take"(p_namespace text, p_rate_key text, p_task uuid, p_scheduled_for timestamptz, p_run uuid)
RETURNS timestamptz LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
DECLARE
  v_limit integer;
  v_per_ms bigint;
  v_bucket rate_bucket%ROWTYPE;
  v_at timestamptz(3);
BEGIN
  SELECT t.rate_limit, t.rate_per_ms INTO v_limit, v_per_ms FROM task t WHERE t.id = p_task AND p_rate_key IS NOT NULL;
  IF v_limit IS NOT NULL THEN
    -- A bucket that was pruned between the two is made anew.
    LOOP
      INSERT INTO rate_bucket (namespace, rate_key) VALUES (p_namespace, p_rate_key) ON CONFLICT DO NOTHING;
      SELECT b.* INTO v_bucket FROM rate_bucket b WHERE b.namespace = p_namespace AND b.rate_key = p_rate_key FOR UPDATE;
      EXIT WHEN FOUND;
    END LOOP;
    IF rate_opens_at(p_namespace, p_rate_key, p_task, p_scheduled_for, p_run) IS NOT NULL THEN
      RETURN NULL;
    END IF;
  END IF;
  -- Starts keep their order, also where the clock was set back.
  v_at := greatest(clock_timestamp(), CASE WHEN v_bucket.taken > 0 THEN v_bucket.last_at END);
  IF v_limit IS NOT NULL THEN
    UPDATE rate_bucket b SET taken = b.taken + 1, most = greatest(b.most, v_limit),
      longest_ms = greatest(b.longest_ms, v_per_ms), last_at = v_at
    WHERE b.namespace = p_namespace AND b.rate_key = p_rate_key;
    INSERT INTO rate_start (namespace, rate_key, number, started_at, run_id)
    VALUES (p_namespace, p_rate_key, v_bucket.taken + 1, v_at, p_run);
    DELETE FROM rate_start s WHERE s.namespace = p_namespace AND s.rate_key = p_rate_key
      AND s.number <= v_bucket.taken + 1 - greatest(v_bucket.most, v_limit);
  END IF;
  DELETE FROM rate_wait w WHERE w.namespace = p_namespace AND w.rate_key = p_rate_key
    AND w.scheduled_for = p_scheduled_for AND w.run_id = p_run;
  RETURN v_at;
END $$;
