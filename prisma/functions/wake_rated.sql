-- Wakes runs that wait for a token of a rate, their task's or their pool's, in their order, as far as there are tokens and room in their keys.
-- The caller adds the jobs of what is returned; what it leaves out the reconciler adds. The last row has no run: `next_at`
-- says when to look again; null: nobody waits.
-- A bucket that somebody has locked is left to him: he wakes, or takes a token, and is through in a moment.
CREATE OR REPLACE FUNCTION "wake_rated"(p_namespace text) RETURNS TABLE (
  "run_id" uuid, "scheduled_for" timestamptz, "queue" text, "due_at" timestamptz, "dispatch" integer, "key" text, "slot" integer,
  "next_at" timestamptz
) LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_bucket record;
  v_next record;
  v_blocked text[];
  v_opens timestamptz;
  v_look_at timestamptz;
BEGIN
  FOR v_bucket IN
    WITH RECURSIVE waited AS (
      -- Equivalent mutant (predicate removed): a rate of another namespace has no bucket here.
      (SELECT w.rate_key FROM rate_wait w WHERE w.namespace = p_namespace ORDER BY w.rate_key LIMIT 1)
      UNION ALL
      SELECT n.rate_key FROM waited l CROSS JOIN LATERAL (SELECT w.rate_key FROM rate_wait w
        -- Equivalent mutant (predicate removed, w.namespace): a rate of another namespace has no bucket here.
        WHERE w.namespace = p_namespace AND w.rate_key > l.rate_key ORDER BY w.rate_key LIMIT 1) n
    )
    SELECT l.rate_key, f.opens_at FROM waited l
    -- Of the first one, whatever is reserved.
    CROSS JOIN LATERAL (
      SELECT (SELECT s.started_at + t.rate_per_ms * interval '1 ms' FROM rate_start s
        WHERE s.namespace = p_namespace AND s.rate_key = l.rate_key AND s.number = b.taken + 1 - t.rate_limit) AS opens_at
      FROM rate_wait w JOIN run r ON r.id = w.run_id AND r.scheduled_for = w.scheduled_for
      LEFT JOIN LATERAL rate_of(p_namespace, l.rate_key, r.task_id) t ON true
      LEFT JOIN rate_bucket b ON b.namespace = p_namespace AND b.rate_key = l.rate_key
      WHERE w.namespace = p_namespace AND w.rate_key = l.rate_key AND r.state = 'waiting'
      ORDER BY w.scheduled_for, w.run_id LIMIT 1) f
  LOOP
    IF v_bucket.opens_at > clock_timestamp() THEN
      v_look_at := least(v_look_at, v_bucket.opens_at);
      CONTINUE;
    END IF;
    -- Those whose key is busy, and those that somebody has locked, may go a little later.
    v_look_at := least(v_look_at, clock_timestamp() + interval '500 ms');
    PERFORM FROM rate_bucket b WHERE b.namespace = p_namespace AND b.rate_key = v_bucket.rate_key FOR UPDATE SKIP LOCKED;
    IF NOT FOUND AND EXISTS (SELECT FROM rate_bucket b WHERE b.namespace = p_namespace AND b.rate_key = v_bucket.rate_key) THEN
      v_look_at := least(v_look_at, clock_timestamp() + interval '20 ms');
      CONTINUE;
    END IF;
    v_blocked := '{}';
    LOOP
      SELECT w.run_id, w.scheduled_for, w.key, r.state, r.overlap, r.task_id INTO v_next
      FROM rate_wait w LEFT JOIN run r ON r.id = w.run_id AND r.scheduled_for = w.scheduled_for
      WHERE w.namespace = p_namespace AND w.rate_key = v_bucket.rate_key
        AND (w.woken_at IS NULL OR w.woken_at <= clock_timestamp() - reservation()) AND w.key <> ALL (v_blocked)
        AND (r.state IS DISTINCT FROM 'waiting' OR NOT run_is_cancelled(r.cancel_requested_at) AND NOT run_has_overwaited(r.wait_until))
      ORDER BY w.scheduled_for, w.run_id LIMIT 1;
      EXIT WHEN NOT FOUND;
      IF v_next.state IS DISTINCT FROM 'waiting' THEN
        DELETE FROM rate_wait w WHERE w.namespace = p_namespace AND w.rate_key = v_bucket.rate_key
          AND w.scheduled_for = v_next.scheduled_for AND w.run_id = v_next.run_id;
        CONTINUE;
      END IF;
      v_opens := rate_opens_at(p_namespace, v_bucket.rate_key, v_next.task_id, v_next.scheduled_for, v_next.run_id, false);
      IF v_opens IS NOT NULL THEN
        v_look_at := least(v_look_at, v_opens);
        EXIT;
      END IF;
      IF v_next.overlap = ANY (overlap_policies('without-slot')) THEN
        RETURN QUERY SELECT w.*, NULL::timestamptz FROM wake_beside(p_namespace, v_bucket.rate_key, v_next.run_id, v_next.scheduled_for) w;
      ELSE
        RETURN QUERY SELECT w.*, NULL::timestamptz FROM wake_waiting(p_namespace, ARRAY[v_next.key], v_bucket.rate_key) w;
      END IF;
      IF EXISTS (SELECT FROM rate_wait w WHERE w.namespace = p_namespace AND w.rate_key = v_bucket.rate_key
        AND w.scheduled_for = v_next.scheduled_for AND w.run_id = v_next.run_id
        AND (w.woken_at IS NULL OR w.woken_at <= clock_timestamp() - reservation())) THEN
        v_blocked := v_blocked || v_next.key;
      END IF;
    END LOOP;
  END LOOP;
  RETURN QUERY SELECT NULL::uuid, NULL::timestamptz, NULL::text, NULL::timestamptz, NULL::integer, NULL::text, NULL::integer, v_look_at;
END $$;
