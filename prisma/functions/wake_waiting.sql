-- Wakes the next in the wait queue of each key as far as it has free slots: `waiting` becomes `queued` under the next dispatch, and
-- the slot is reserved for the run. The caller adds the jobs of what is returned; what it leaves out the reconciler adds.
-- No run is woken that the limit of another one, on whatever slot, keeps out.
-- Of runs that ask for order several are woken together, as many as there are slots: begin_runs keeps their order. Runs under a rate
-- are woken one after the other, since each takes a token when it begins.
-- A run that is under a rate, its task's or its pool's, is woken only with a token of it reserved. p_rate_key: the caller wakes those that wait for one
-- of this rate, in their order: of these none goes before another one's. Runs that take no slot are woken by wake_beside.
-- Neither slots nor runs that others have locked are waited for: they do their part themselves, and it cannot deadlock.
-- p_waits: the slots are waited for, by a caller that holds no locks itself. What such a caller has changed before, who has the slots
-- locked may not have seen.
CREATE OR REPLACE FUNCTION "wake_waiting"(p_namespace text, p_keys text[], p_rate_key text DEFAULT NULL, p_waits boolean DEFAULT false)
RETURNS TABLE (
  "run_id" uuid, "scheduled_for" timestamptz, "queue" text, "due_at" timestamptz, "dispatch" integer, "key" text, "slot" integer
) LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_key text;
  v_ours integer[];
  v_free integer[];
  v_first record;
  v_next record;
  -- Rates of the key's runs, tasks' and pools', that have no token; null: none was met.
  v_shut text[];
  v_full text;
  -- The next asks for order, and each of its kind takes a token when it begins.
  v_rated boolean;
  -- Runs of the key that this call has woken, and that need not begin before the next is woken.
  v_woken uuid[];
BEGIN
  FOR v_key IN SELECT DISTINCT k FROM unnest(p_keys) AS k ORDER BY k LOOP
    IF p_waits THEN
      PERFORM FROM key_slot s WHERE s.namespace = p_namespace AND s.key = v_key ORDER BY s.slot FOR UPDATE;
    END IF;
    SELECT array_agg(l.slot ORDER BY l.slot),
      array_agg(l.slot ORDER BY l.slot) FILTER (WHERE NOT slot_taken(l.run_id, l.run_scheduled_for, l.since))
    INTO v_ours, v_free
    FROM (SELECT s.* FROM key_slot s WHERE s.namespace = p_namespace AND s.key = v_key
      ORDER BY s.slot FOR UPDATE SKIP LOCKED) l;
    v_shut := NULL;
    v_woken := '{}';
    -- Where another one has the slots locked, it wakes the next: it must not find that run locked by this one.
    CONTINUE WHEN coalesce(cardinality(v_free), 0) = 0 AND (
      SELECT count(*) >= m.most FROM (SELECT max(r.key_limit) AS most FROM run r
        WHERE r.namespace = p_namespace AND r.key = v_key AND r.phase = 'waiting') m
      JOIN key_slot s ON s.namespace = p_namespace AND s.key = v_key AND s.slot <= m.most
      GROUP BY m.most);
    LOOP
      -- Of runs that ask for order none may pass one that is due and on its way.
      SELECT e.scheduled_for, e.id INTO v_first FROM run e
      WHERE e.namespace = p_namespace AND e.key = v_key AND e.overlap = ANY (overlap_policies('oldest-first')) AND e.state <> 'waiting'
        AND run_is_in_line(e.phase, e.state, e.attempt, e.due_at, e.cancel_requested_at, e.wait_until) AND e.id <> ALL (v_woken)
      ORDER BY e.scheduled_for, e.id LIMIT 1;
      SELECT r.id, r.scheduled_for, r.key_limit, r.task_id, r.rate_key, r.pool, r.overlap = ANY (overlap_policies('oldest-first')) AS ordered,
        (SELECT f FROM unnest(v_free) AS f WHERE f <= r.key_limit ORDER BY f LIMIT 1) AS free_slot
      INTO v_next
      FROM run r
      WHERE r.namespace = p_namespace AND r.key = v_key AND r.phase = 'waiting'
        AND NOT run_has_overwaited(r.wait_until) AND NOT run_is_cancelled(r.cancel_requested_at)
        AND (r.overlap <> ALL (overlap_policies('oldest-first')) OR r.attempt > 0 OR v_first.id IS NULL
          OR (r.scheduled_for, r.id) < (v_first.scheduled_for, v_first.id))
        AND (r.overlap <> ALL (overlap_policies('newest-first')) OR r.attempt > 0
          OR wait_queue_ahead(r.namespace, r.key, r.overlap, r.scheduled_for, r.id) IS NULL)
        AND r.overlap <> ALL (overlap_policies('without-slot'))
        AND (v_shut IS NULL OR (r.rate_key IS NULL OR r.rate_key <> ALL (v_shut)) AND pool_rate_key(r.pool) <> ALL (v_shut)
          AND (r.overlap <> ALL (overlap_policies('oldest-first')) OR r.attempt > 0 OR wait_queue_ahead(r.namespace, r.key, r.overlap, r.scheduled_for, r.id) IS NULL))
      ORDER BY r.scheduled_for, r.id LIMIT 1
      FOR UPDATE OF r SKIP LOCKED;
      EXIT WHEN NOT FOUND;
      EXIT WHEN key_room(p_namespace, v_key, v_next.key_limit, v_next.id) IS NULL;
      -- A slot that never was in use has no row to be reserved by: one run goes without.
      EXIT WHEN v_next.free_slot IS NULL AND v_next.key_limit <= (SELECT count(*) FROM key_slot s
        WHERE s.namespace = p_namespace AND s.key = v_key AND s.slot <= v_next.key_limit);
      v_rated := v_next.ordered AND cardinality(v_free) > 1
        AND EXISTS (SELECT FROM rates_of_run(p_namespace, v_next.rate_key, v_next.pool, v_next.task_id));
      EXIT WHEN v_rated AND v_woken <> '{}';
      v_full := rate_reserve(p_namespace, v_next.rate_key, v_next.pool, v_next.task_id, v_next.scheduled_for, v_next.id, v_key, p_rate_key);
      IF v_full IS NOT NULL THEN
        v_shut := v_shut || v_full;
        CONTINUE;
      END IF;
      UPDATE key_slot s SET run_id = v_next.id, run_scheduled_for = v_next.scheduled_for, worker = NULL, since = now()
      WHERE s.namespace = p_namespace AND s.key = v_key AND s.slot = v_next.free_slot;
      RETURN QUERY
        UPDATE run r SET state = 'queued', dispatch = r.dispatch + 1, slot = v_next.free_slot,
          reason = CASE WHEN r.rate_key IS NULL AND r.reason NOT LIKE 'over the rate of %' THEN r.reason END
        WHERE r.id = v_next.id AND r.scheduled_for = v_next.scheduled_for
        RETURNING r.id, r.scheduled_for, queue_of(r.pool, r.need), r.due_at, r.dispatch, r.key, r.slot;
      IF v_next.ordered AND NOT v_rated THEN
        v_woken := v_woken || v_next.id;
      END IF;
      v_free := array_remove(v_free, v_next.free_slot);
      EXIT WHEN coalesce(cardinality(v_free), 0) = 0;
    END LOOP;
    UPDATE key_slot s SET awaited = false
    -- Equivalent mutant (predicate removed, s.awaited): it saves a write of the same value.
    WHERE s.namespace = p_namespace AND s.key = v_key AND s.slot = ANY (v_ours) AND s.awaited
      AND NOT EXISTS (SELECT FROM run r WHERE r.namespace = p_namespace AND r.key = v_key AND r.phase = 'waiting');
  END LOOP;
END $$;
