-- Reserves a token of each rate that a run is under for one that is about to be woken, for 5 s: of all, or of none. Null: it did; else the
-- rate that has none for it, or under which another one goes before it; it then waits for that one. p_line: the caller wakes those that
-- wait for this rate, and has seen to those before it; null: none.
-- It does not wait for who has a bucket locked. Whoever does not get a token that may be there leaves it to the keeper.
CREATE OR REPLACE FUNCTION "rate_reserve"(
  p_namespace text, p_rate_key text, p_pool text, p_task uuid, p_scheduled_for timestamptz, p_run uuid, p_key text, p_line text
) RETURNS text LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
DECLARE
  v_rate text;
  v_rates text[] := '{}';
  v_opens timestamptz;
  v_shut text;
  v_shut_until timestamptz;
BEGIN
  FOR v_rate IN SELECT k.rate_key FROM rates_of_run(p_namespace, p_rate_key, p_pool, p_task) k LOOP
    v_rates := v_rates || v_rate;
    PERFORM FROM rate_bucket b WHERE b.namespace = p_namespace AND b.rate_key = v_rate FOR UPDATE SKIP LOCKED;
    IF NOT FOUND AND EXISTS (SELECT FROM rate_bucket b WHERE b.namespace = p_namespace AND b.rate_key = v_rate) THEN
      v_opens := clock_timestamp();
    ELSE
      v_opens := rate_opens_at(p_namespace, v_rate, p_task, p_scheduled_for, p_run, v_rate IS DISTINCT FROM p_line);
    END IF;
    IF v_opens IS NOT NULL AND (v_shut IS NULL OR v_opens > v_shut_until) THEN
      v_shut := v_rate;
      v_shut_until := v_opens;
    END IF;
  END LOOP;
  IF v_shut IS NOT NULL THEN
    IF v_shut IS DISTINCT FROM p_line THEN
      PERFORM rate_wait_in_line(p_namespace, v_shut, p_task, p_scheduled_for, p_run, p_key, v_shut_until);
    END IF;
    RETURN v_shut;
  END IF;
  IF v_rates = '{}' AND p_line IS NULL THEN
    RETURN NULL;
  END IF;
  -- It may have waited for a rate that is no more.
  DELETE FROM rate_wait w WHERE w.namespace = p_namespace AND w.rate_key = ANY (ARRAY[p_rate_key, pool_rate_key(p_pool)])
    -- Equivalent mutant (predicate removed, w.rate_key): the function writes the deleted row again, with the same content.
    AND w.rate_key <> ALL (v_rates) AND w.scheduled_for = p_scheduled_for AND w.run_id = p_run;
  INSERT INTO rate_wait AS w (namespace, rate_key, scheduled_for, run_id, key, woken_at)
  SELECT p_namespace, k, p_scheduled_for, p_run, p_key, clock_timestamp() FROM unnest(v_rates) AS k
  ON CONFLICT (namespace, rate_key, scheduled_for, run_id) DO UPDATE SET woken_at = excluded.woken_at;
  RETURN NULL;
END $$;
