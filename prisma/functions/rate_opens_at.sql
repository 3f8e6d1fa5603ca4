-- When a run may take a token of a rate, its task's or its pool's: null: now. A token that a start took comes back after the rate's time, so
-- that no window of that length has more starts than the limit. Before the run go those that a token is reserved for
-- (woken less than 5 s ago), and, with p_in_order, those that wait for one and were scheduled earlier.
-- A run that has one reserved asks only whether it is there. The clock, not the statement's time: it may have waited for locks.
CREATE OR REPLACE FUNCTION "rate_opens_at"(
  p_namespace text, p_rate_key text, p_task uuid, p_scheduled_for timestamptz, p_run uuid, p_in_order boolean DEFAULT true
) RETURNS timestamptz
LANGUAGE plpgsql VOLATILE SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_limit integer;
  v_per interval;
  v_taken bigint;
  v_reserved integer := 0;
  v_behind boolean := false;
  v_opens timestamptz;
BEGIN
  SELECT o.rate_limit, o.rate_per_ms * interval '1 ms' INTO v_limit, v_per FROM rate_of(p_namespace, p_rate_key, p_task) o;
  IF v_limit IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT b.taken INTO v_taken FROM rate_bucket b WHERE b.namespace = p_namespace AND b.rate_key = p_rate_key;
  IF NOT EXISTS (SELECT FROM rate_wait w WHERE w.namespace = p_namespace AND w.rate_key = p_rate_key
    -- Equivalent mutant (border): the clock of the server goes by microseconds.
    AND w.scheduled_for = p_scheduled_for AND w.run_id = p_run AND w.woken_at > v_now - reservation()) THEN
    SELECT count(*) INTO v_reserved FROM rate_wait w JOIN run r ON r.id = w.run_id AND r.scheduled_for = w.scheduled_for
    -- Equivalent mutant (predicate removed, w.run_id): the condition around it has found that the run has reserved nothing here.
    WHERE w.namespace = p_namespace AND w.rate_key = p_rate_key AND w.run_id <> p_run
      -- Equivalent mutant (border): the clock of the server goes by microseconds.
      AND w.woken_at > v_now - reservation() AND r.state = 'queued';
    v_behind := v_reserved >= v_limit OR p_in_order AND EXISTS (
      SELECT FROM rate_wait w JOIN run r ON r.id = w.run_id AND r.scheduled_for = w.scheduled_for
      WHERE w.namespace = p_namespace AND w.rate_key = p_rate_key
        AND (w.scheduled_for, w.run_id) < (p_scheduled_for, p_run)
        AND r.state = 'waiting' AND NOT run_is_cancelled(r.cancel_requested_at) AND NOT run_has_overwaited(r.wait_until));
  END IF;
  SELECT s.started_at + v_per INTO v_opens FROM rate_start s
  WHERE s.namespace = p_namespace AND s.rate_key = p_rate_key
    AND s.number = coalesce(v_taken, 0) + 1 + least(v_reserved, v_limit - 1) - v_limit;
  -- Equivalent mutant (border): the clock of the server goes by microseconds.
  RETURN CASE WHEN v_opens > v_now THEN v_opens WHEN v_behind THEN v_now END;
END $$;
