-- When it is the turn of a run that waits for a token of a rate, if all before it start as soon as they may.
-- Of those before it at most p_most are counted: behind more of them it is later.
CREATE OR REPLACE FUNCTION "rate_turn_at"(p_namespace text, p_rate_key text, p_task uuid, p_scheduled_for timestamptz, p_run uuid,
  p_most integer DEFAULT 100000)
RETURNS timestamptz LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
DECLARE
  v_limit integer;
  v_per interval;
  v_taken bigint;
  v_ahead bigint;
  v_opens timestamptz;
BEGIN
  SELECT o.rate_limit, o.rate_per_ms * interval '1 ms' INTO v_limit, v_per FROM rate_of(p_namespace, p_rate_key, p_task) o;
  SELECT b.taken INTO v_taken FROM rate_bucket b WHERE b.namespace = p_namespace AND b.rate_key = p_rate_key;
  SELECT count(*) INTO v_ahead FROM (SELECT FROM rate_wait w WHERE w.namespace = p_namespace AND w.rate_key = p_rate_key
    AND (w.scheduled_for, w.run_id) < (p_scheduled_for, p_run) LIMIT p_most) a;
  -- Round by round: each token is taken again when it comes back.
  SELECT s.started_at INTO v_opens FROM rate_start s WHERE s.namespace = p_namespace AND s.rate_key = p_rate_key
    AND s.number = v_taken + 1 + v_ahead % v_limit - v_limit;
  RETURN greatest(clock_timestamp(), coalesce(v_opens + v_per, clock_timestamp()) + v_ahead / v_limit * v_per);
END $$;
