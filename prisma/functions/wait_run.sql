-- Puts a run whose key is busy into the wait queue, or skips it. Answers
-- 'waiting'; 'free': there is room after all, begin it; 'skipped': p_max_waiting others wait already (0: it does not wait
-- at all), or a newer run takes its place; 'stale': it is not as the caller saw it. `holder`: the run in its way.
-- p_max_waiting, p_max_wait_ms: null for no bound. A run that had begun, or had waited before, keeps its place and is not
-- judged again.
-- A run whose key has room, but whose task's or pool's rate has no token left, waits as well, whatever its policy says of a busy key: then
-- there is no holder, and the reason says the rate. wait-one and wait-all keep their bounds.
-- What is caught up and what is in time do not skip each other: the next of them waits, whatever the policy, and is counted apart.
-- Whether a run is skipped is judged, and written, under the locks of its key's slots: a holder that ends at that moment
-- is seen to be gone, and the run begins. Slots beyond the run's own limit count too, and the limits of those that hold them.
-- Who gets into the wait queue writes only the rows of slots that do not say yet that somebody waits: else a hundred runs that arrive at a
-- key with ten slots write a thousand rows, under the locks that the run at work needs to end.
CREATE OR REPLACE FUNCTION "wait_run"(
  p_run uuid, p_scheduled_for timestamptz, p_state text, p_dispatch integer, p_attempt integer, p_job_dispatch integer,
  p_max_waiting integer, p_max_wait_ms bigint, p_cancel_channel text
) RETURNS TABLE ("result" text, "holder" uuid, "reason" text)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_run run%ROWTYPE;
  v_locked uuid[];
  v_taken integer;
  v_limit integer;
  v_holder uuid;
  v_ahead uuid;
  v_others integer;
  v_waiter uuid;
  v_reason text;
  -- The rate that has no token for it, and when there may be one; null: each has one, or its key is busy.
  v_shut text;
  v_opens timestamptz;
  v_replaces boolean;
  -- It is caught up, or the run in its way is.
  v_catching_up boolean := false;
BEGIN
  SELECT r.* INTO v_run FROM run r WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for;
  v_replaces := v_run.overlap = ANY (overlap_policies('replacing'));
  -- Runs in the order of their ids, then slots: as in every statement. Who replaces also changes those in its way.
  SELECT array_agg(k.id) INTO v_locked FROM (
    SELECT r.id FROM run r
    JOIN (
      SELECT p_run AS id, p_scheduled_for AS scheduled_for
      UNION SELECT s.run_id, s.run_scheduled_for FROM key_slot s
        -- Equivalent mutant (predicate removed, s.run_id): the join leaves out what is null.
        WHERE v_replaces AND s.namespace = v_run.namespace AND s.key = v_run.key AND s.run_id IS NOT NULL
      UNION SELECT w.id, w.scheduled_for FROM run w
        WHERE v_replaces AND w.namespace = v_run.namespace AND w.key = v_run.key
          AND w.phase = 'waiting' AND w.overlap = ANY (overlap_policies('replacing'))
    ) i ON r.id = i.id AND r.scheduled_for = i.scheduled_for
    ORDER BY r.id FOR UPDATE OF r) k;
  PERFORM FROM key_slot s WHERE s.namespace = v_run.namespace AND s.key = v_run.key ORDER BY s.slot FOR UPDATE;
  IF NOT FOUND AND v_run.overlap = ANY (overlap_policies('ordered')) THEN
    -- With nothing to lock, the run ahead could begin and end meanwhile, and not see that this one waits. Each begin of a key locks
    -- slot 1.
    INSERT INTO key_slot AS s (namespace, key, slot) VALUES (v_run.namespace, v_run.key, 1)
    ON CONFLICT (namespace, key, slot) DO UPDATE SET slot = s.slot;
  END IF;

  SELECT r.* INTO v_run FROM run r
  WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.state = p_state AND r.dispatch = p_dispatch
    AND r.attempt = p_attempt AND run_is_of_job(r.state, r.dispatch, p_job_dispatch)
    AND NOT run_is_cancelled(r.cancel_requested_at);
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'stale', NULL::uuid, NULL::text;
    RETURN;
  END IF;

  SELECT h.taken, h.holder, least(v_run.key_limit, h.key_limit) INTO v_taken, v_holder, v_limit
  FROM key_holders(v_run.namespace, v_run.key, v_run.id) h;
  -- Equivalent mutant (predicate removed): under other policies no run is ahead.
  IF v_run.attempt = 0 AND v_run.overlap = ANY (overlap_policies('ordered')) THEN
    v_ahead := wait_queue_ahead(v_run.namespace, v_run.key, v_run.overlap, v_run.scheduled_for, v_run.id);
  END IF;
  IF v_ahead IS NOT NULL AND v_run.overlap = ANY (overlap_policies('newest-first')) THEN
    v_holder := v_ahead;
    v_reason := 'replaced by run ' || v_ahead || ' before it started';
  END IF;
  IF v_run.overlap = ANY (overlap_policies('without-slot')) THEN
    v_taken := 0;
  END IF;
  IF v_taken < v_limit AND v_ahead IS NULL THEN
    SELECT s.rate_key, s.opens_at INTO v_shut, v_opens
    FROM rates_shut(v_run.namespace, v_run.rate_key, v_run.pool, v_run.task_id, v_run.scheduled_for, v_run.id) s;
    IF v_opens IS NOT NULL AND v_run.overlap = ANY (overlap_policies('not-waiting')) THEN
      p_max_waiting := NULL;
      p_max_wait_ms := NULL;
    END IF;
  END IF;
  IF v_taken < v_limit AND v_ahead IS NULL AND v_opens IS NULL THEN
    RETURN QUERY SELECT 'free', NULL::uuid, NULL::text;
    RETURN;
  ELSIF v_taken < v_limit THEN
    v_holder := v_ahead;
  END IF;

  IF v_reason IS NULL AND v_run.attempt = 0 AND v_run.waiting_since IS NULL AND p_max_waiting IS NOT NULL THEN
    IF v_run.origin IN ('schedule', 'catch_up') THEN
      v_catching_up := v_run.origin = 'catch_up' OR EXISTS (SELECT FROM run h
        WHERE h.id = v_holder AND h.origin = 'catch_up' AND h.task_id = v_run.task_id);
    END IF;
    IF v_catching_up THEN
      p_max_waiting := greatest(p_max_waiting, 1);
    END IF;
    SELECT count(*), (array_agg(w.id ORDER BY w.scheduled_for, w.id))[1] INTO v_others, v_waiter
    FROM (SELECT r.id, r.scheduled_for FROM run r
      WHERE r.namespace = v_run.namespace AND r.key = v_run.key AND r.phase = 'waiting'
        AND (NOT v_catching_up OR (r.origin = 'catch_up') = (v_run.origin = 'catch_up'))
      ORDER BY r.scheduled_for, r.id LIMIT p_max_waiting) w;
    IF v_others >= p_max_waiting THEN
      v_reason := CASE WHEN v_opens IS NULL THEN format('the key "%s" was held by run %s', v_run.key, v_holder)
        WHEN v_shut = pool_rate_key(v_run.pool) THEN format('over the rate of the pool "%s"', v_run.pool)
        ELSE format('over the rate under "%s"', v_shut) END
        || CASE WHEN v_limit < v_run.key_limit AND v_taken >= v_limit THEN format(', whose task gives it a limit of %s', v_limit) ELSE '' END
        || CASE v_others WHEN 0 THEN ''
        WHEN 1 THEN format(', and run %s waited for it already', v_waiter)
        ELSE format(', and %s runs waited for it already', v_others) END;
    END IF;
  END IF;
  IF v_reason IS NOT NULL THEN
    PERFORM finish_runs(v_run.namespace, jsonb_build_array(jsonb_build_object('run_id', v_run.id, 'scheduled_for', v_run.scheduled_for,
      'from_state', p_state, 'dispatch', p_dispatch, 'attempt', p_attempt, 'finish_id', gen_random_uuid(),
      'to_state', 'skipped', 'reason', v_reason, 'blocked_by', v_holder)));
    RETURN QUERY SELECT 'skipped', v_holder, v_reason;
    RETURN;
  END IF;

  IF v_replaces AND v_run.attempt = 0 THEN
    IF v_taken <> (SELECT count(*) FROM key_slot s
      -- Equivalent mutant (predicate removed, s.namespace): only holders of this key are among the runs that are locked.
      -- Equivalent mutant (predicate removed, s.key): only holders of this key are among the runs that are locked.
      WHERE s.namespace = v_run.namespace AND s.key = v_run.key AND s.run_id <> v_run.id
        AND slot_taken(s.run_id, s.run_scheduled_for, s.since) AND s.run_id = ANY (v_locked))
      OR finish_replaced(v_run.namespace, v_run.key, v_run.id) THEN
      RETURN QUERY SELECT 'free', NULL::uuid, NULL::text;
      RETURN;
    END IF;
    PERFORM ask_replaced(v_run.namespace, v_run.key, v_run.id, p_cancel_channel);
  END IF;

  UPDATE run r SET state = 'waiting', dispatch = p_job_dispatch, slot = NULL, blocked_by = v_holder,
    waiting_since = CASE WHEN r.attempt = 0 THEN coalesce(r.waiting_since, now()) ELSE now() END,
    wait_until = CASE WHEN r.attempt > 0 THEN NULL WHEN r.waiting_since IS NOT NULL THEN r.wait_until
      ELSE now() + p_max_wait_ms * interval '1 ms' END
  WHERE r.id = v_run.id AND r.scheduled_for = v_run.scheduled_for;
  UPDATE key_slot s SET awaited = true,
    run_id = nullif(s.run_id, v_run.id), run_scheduled_for = CASE WHEN s.run_id <> v_run.id THEN s.run_scheduled_for END,
    since = CASE WHEN s.run_id <> v_run.id THEN s.since END, worker = CASE WHEN s.run_id <> v_run.id THEN s.worker END
  WHERE s.namespace = v_run.namespace AND s.key = v_run.key AND (NOT s.awaited OR s.run_id = v_run.id) AND v_run.overlap <> ALL (overlap_policies('without-slot'));
  IF v_opens IS NOT NULL THEN
    v_reason := rate_wait_in_line(v_run.namespace, v_shut, v_run.task_id, v_run.scheduled_for, v_run.id, v_run.key, v_opens);
  END IF;
  RETURN QUERY SELECT 'waiting', v_holder, v_reason;
END $$;
