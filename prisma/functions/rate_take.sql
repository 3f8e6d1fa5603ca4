-- Takes a token of each rate that a run is under, its pool's and its task's: of all, or of none. Answers when: the run's start; null: one
-- of them has none for it. The caller has locked the buckets by rate_lock(): one that is not is of a rate of this very moment, and is not waited for.
CREATE OR REPLACE FUNCTION "rate_take"(p_namespace text, p_rate_key text, p_pool text, p_task uuid, p_scheduled_for timestamptz, p_run uuid)
RETURNS timestamptz LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
DECLARE
  v_rate record;
  v_last_at timestamptz;
  v_latest timestamptz;
  v_at timestamptz(3);
BEGIN
  FOR v_rate IN SELECT k.* FROM rates_of_run(p_namespace, p_rate_key, p_pool, p_task) k LOOP
    SELECT CASE WHEN b.taken > 0 THEN b.last_at END INTO v_last_at FROM rate_bucket b
    WHERE b.namespace = p_namespace AND b.rate_key = v_rate.rate_key FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR rate_opens_at(p_namespace, v_rate.rate_key, p_task, p_scheduled_for, p_run) IS NOT NULL THEN
      RETURN NULL;
    END IF;
    v_latest := greatest(v_latest, v_last_at);
  END LOOP;
  -- Read after the tokens were found: before, they may not have been back. Starts keep their order, also where the clock was set back.
  v_at := greatest(clock_timestamp(), v_latest);
  FOR v_rate IN SELECT k.* FROM rates_of_run(p_namespace, p_rate_key, p_pool, p_task) k LOOP
    UPDATE rate_bucket b SET taken = b.taken + 1, most = greatest(b.most, v_rate.rate_limit),
      longest_ms = greatest(b.longest_ms, v_rate.rate_per_ms), last_at = v_at
    WHERE b.namespace = p_namespace AND b.rate_key = v_rate.rate_key;
    INSERT INTO rate_start (namespace, rate_key, number, started_at, run_id)
    SELECT b.namespace, b.rate_key, b.taken, v_at, p_run FROM rate_bucket b WHERE b.namespace = p_namespace AND b.rate_key = v_rate.rate_key;
    DELETE FROM rate_start s USING rate_bucket b
    WHERE b.namespace = p_namespace AND b.rate_key = v_rate.rate_key AND s.namespace = p_namespace AND s.rate_key = v_rate.rate_key
      AND s.number <= b.taken - b.most;
  END LOOP;
  DELETE FROM rate_wait w WHERE w.namespace = p_namespace AND w.rate_key = ANY (ARRAY[p_rate_key, pool_rate_key(p_pool)])
    AND w.scheduled_for = p_scheduled_for AND w.run_id = p_run;
  RETURN v_at;
END $$;
