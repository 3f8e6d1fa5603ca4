-- Reserves a token of its task's rate for a run that is about to be woken, for 5 s. False: there is none for it, or another
-- one goes before it; it then waits for one. p_first: the caller has seen to those before it.
-- It does not wait for who has the bucket locked. Whoever does not get a token that may be there leaves it to the keeper.
CREATE OR REPLACE FUNCTION "rate_reserve"(
  p_namespace text, p_rate_key text, p_task uuid, p_scheduled_for timestamptz, p_run uuid, p_key text, p_first boolean
) RETURNS boolean LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
DECLARE
  v_opens timestamptz;
BEGIN
  PERFORM FROM rate_bucket b WHERE b.namespace = p_namespace AND b.rate_key = p_rate_key FOR UPDATE SKIP LOCKED;
  IF NOT FOUND AND EXISTS (SELECT FROM rate_bucket b WHERE b.namespace = p_namespace AND b.rate_key = p_rate_key) THEN
    v_opens := clock_timestamp();
  ELSE
    v_opens := rate_opens_at(p_namespace, p_rate_key, p_task, p_scheduled_for, p_run, NOT p_first);
  END IF;
  IF v_opens IS NULL THEN
    INSERT INTO rate_wait AS w (namespace, rate_key, scheduled_for, run_id, key, woken_at)
    VALUES (p_namespace, p_rate_key, p_scheduled_for, p_run, p_key, clock_timestamp())
    ON CONFLICT (namespace, rate_key, scheduled_for, run_id) DO UPDATE SET woken_at = excluded.woken_at;
    RETURN true;
  END IF;
  IF NOT p_first THEN
    PERFORM rate_wait_in_line(p_namespace, p_rate_key, p_task, p_scheduled_for, p_run, p_key, v_opens);
  END IF;
  RETURN false;
END $$;
