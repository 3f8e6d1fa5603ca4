-- The limit belongs to the rendered key. Tasks whose templates differ may render to one key with different limits, and an
-- edit changes the limit while runs of the old one are open: then the smallest limit among the runs that hold the key, and
-- of the one that asks, counts.

-- On slot 1: the limit in which all runs agree that hold slots of the key; 0: they may not, who begins has to count them.
-- Written and read under the lock of that row, which each begin of the key takes.
ALTER TABLE "key_slot" ADD COLUMN "key_limit" INTEGER NOT NULL DEFAULT 0;
INSERT INTO key_slot (namespace, key, slot) SELECT DISTINCT s.namespace, s.key, 1 FROM key_slot s ON CONFLICT DO NOTHING;

-- The runs that hold slots of a key, but for p_run: how many, the one that is longest there among those of the smallest
-- limit, that limit (null: none holds one) and whether all have that limit. A fresh look each time, as VOLATILE gives it.
CREATE FUNCTION "key_holders"(p_namespace text, p_key text, p_run uuid)
RETURNS TABLE ("taken" integer, "holder" uuid, "key_limit" integer, "agree" boolean)
LANGUAGE sql VOLATILE SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  SELECT count(*)::integer, (array_agg(s.run_id ORDER BY h.key_limit, s.since, s.slot))[1], min(h.key_limit),
    min(h.key_limit) IS NOT DISTINCT FROM max(h.key_limit)
  FROM key_slot s JOIN run h ON h.id = s.run_id AND h.scheduled_for = s.run_scheduled_for
  WHERE s.namespace = p_namespace AND s.key = p_key AND s.run_id IS DISTINCT FROM p_run
    AND slot_taken(s.run_id, s.run_scheduled_for, s.since);
$$;

-- Whether a run of that limit may hold a slot of the key beside those that do. Null: no; else what slot 1 is to say of the
-- limit from then on.
CREATE FUNCTION "key_room"(p_namespace text, p_key text, p_limit integer, p_run uuid) RETURNS integer
LANGUAGE sql VOLATILE AS $$
  SELECT CASE WHEN h.taken >= least(p_limit, h.key_limit) THEN NULL
    WHEN h.agree AND coalesce(h.key_limit, p_limit) = p_limit THEN p_limit ELSE 0 END
  FROM key_holders(p_namespace, p_key, p_run) h;
$$;

-- The same for a run that takes another slot than the first, under the lock of the first one's row.
CREATE FUNCTION "key_room_locked"(p_namespace text, p_key text, p_limit integer, p_run uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_agreed integer;
BEGIN
  INSERT INTO key_slot AS s (namespace, key, slot) VALUES (p_namespace, p_key, 1) ON CONFLICT DO NOTHING;
  SELECT s.key_limit INTO v_agreed FROM key_slot s
  WHERE s.namespace = p_namespace AND s.key = p_key AND s.slot = 1 FOR UPDATE;
  IF v_agreed = p_limit THEN
    RETURN true;
  END IF;
  v_agreed := key_room(p_namespace, p_key, p_limit, p_run);
  UPDATE key_slot s SET key_limit = v_agreed
  WHERE s.namespace = p_namespace AND s.key = p_key AND s.slot = 1 AND s.key_limit <> v_agreed;
  RETURN v_agreed IS NOT NULL;
END $$;

-- Keys with waiting runs and room for one of them: a wake-up was lost, or a reservation has lapsed.
CREATE OR REPLACE FUNCTION "waiting_keys"(p_namespace text, p_limit integer)
RETURNS SETOF text LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  WITH RECURSIVE line AS (
    (SELECT r.key, r.key_limit FROM run r WHERE r.namespace = p_namespace AND r.state = 'waiting'
     ORDER BY r.namespace, r.key, r.scheduled_for LIMIT 1)
    UNION ALL
    SELECT n.key, n.key_limit FROM line l CROSS JOIN LATERAL (
      SELECT r.key, r.key_limit FROM run r WHERE r.namespace = p_namespace AND r.state = 'waiting' AND r.key > l.key
      ORDER BY r.namespace, r.key, r.scheduled_for LIMIT 1) n
  )
  SELECT l.key FROM line l
  WHERE key_room(p_namespace, l.key, l.key_limit, NULL) IS NOT NULL
  LIMIT p_limit;
$$;

-- As before; but no run is woken that the limit of another one, on whatever slot, keeps out.
CREATE OR REPLACE FUNCTION "wake_waiting"(p_namespace text, p_keys text[]) RETURNS TABLE (
  "run_id" uuid, "scheduled_for" timestamptz, "pool" text, "due_at" timestamptz, "dispatch" integer, "key" text, "slot" integer
) LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_key text;
  v_ours integer[];
  v_free integer[];
  v_first record;
  v_next record;
BEGIN
  FOR v_key IN SELECT DISTINCT k FROM unnest(p_keys) AS k ORDER BY k LOOP
    SELECT array_agg(l.slot ORDER BY l.slot),
      array_agg(l.slot ORDER BY l.slot) FILTER (WHERE NOT slot_taken(l.run_id, l.run_scheduled_for, l.since))
    INTO v_ours, v_free
    FROM (SELECT s.* FROM key_slot s WHERE s.namespace = p_namespace AND s.key = v_key
      ORDER BY s.slot FOR UPDATE SKIP LOCKED) l;
    LOOP
      -- Of runs that ask for order none may pass one that is due and on its way.
      SELECT e.scheduled_for, e.id INTO v_first FROM run e
      WHERE e.namespace = p_namespace AND e.key = v_key AND e.overlap = 'wait-all' AND e.state IN ('planned', 'queued')
        AND e.attempt = 0 AND e.due_at <= now() AND e.cancel_requested_at IS NULL
      ORDER BY e.scheduled_for, e.id LIMIT 1;
      SELECT r.id, r.scheduled_for, r.key_limit,
        (SELECT f FROM unnest(v_free) AS f WHERE f <= r.key_limit ORDER BY f LIMIT 1) AS free_slot
      INTO v_next
      FROM run r
      WHERE r.namespace = p_namespace AND r.key = v_key AND r.state = 'waiting'
        AND (r.wait_until IS NULL OR r.wait_until > now()) AND r.cancel_requested_at IS NULL
        AND (r.overlap <> 'wait-all' OR r.attempt > 0 OR v_first.id IS NULL
          OR (r.scheduled_for, r.id) < (v_first.scheduled_for, v_first.id))
        AND (r.overlap <> 'replace' OR r.attempt > 0
          OR line_ahead(r.namespace, r.key, r.overlap, r.scheduled_for, r.id) IS NULL)
      ORDER BY r.scheduled_for, r.id LIMIT 1
      FOR UPDATE OF r SKIP LOCKED;
      EXIT WHEN NOT FOUND;
      EXIT WHEN key_room(p_namespace, v_key, v_next.key_limit, v_next.id) IS NULL;
      -- A slot that never was in use has no row to be reserved by: one run goes without.
      EXIT WHEN v_next.free_slot IS NULL AND v_next.key_limit <= (SELECT count(*) FROM key_slot s
        WHERE s.namespace = p_namespace AND s.key = v_key AND s.slot <= v_next.key_limit);
      UPDATE key_slot s SET run_id = v_next.id, run_scheduled_for = v_next.scheduled_for, worker = NULL, since = now()
      WHERE s.namespace = p_namespace AND s.key = v_key AND s.slot = v_next.free_slot;
      RETURN QUERY
        UPDATE run r SET state = 'queued', dispatch = r.dispatch + 1, slot = v_next.free_slot
        WHERE r.id = v_next.id AND r.scheduled_for = v_next.scheduled_for
        RETURNING r.id, r.scheduled_for, r.pool, r.due_at, r.dispatch, r.key, r.slot;
      v_free := array_remove(v_free, v_next.free_slot);
      EXIT WHEN coalesce(cardinality(v_free), 0) = 0;
    END LOOP;
    UPDATE key_slot s SET awaited = false
    WHERE s.namespace = p_namespace AND s.key = v_key AND s.slot = ANY (v_ours) AND s.awaited
      AND NOT EXISTS (SELECT FROM run r WHERE r.namespace = p_namespace AND r.key = v_key AND r.state = 'waiting');
  END LOOP;
END $$;

-- As before; but slots beyond the run's own limit count too, and the limits of those that hold them.
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
BEGIN
  SELECT r.* INTO v_run FROM run r WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for;
  -- Runs in the order of their ids, then slots: as in every statement. `replace` also changes those in its way.
  SELECT array_agg(k.id) INTO v_locked FROM (
    SELECT r.id FROM run r
    JOIN (
      SELECT p_run AS id, p_scheduled_for AS scheduled_for
      UNION SELECT s.run_id, s.run_scheduled_for FROM key_slot s
        WHERE v_run.overlap = 'replace' AND s.namespace = v_run.namespace AND s.key = v_run.key AND s.run_id IS NOT NULL
      UNION SELECT w.id, w.scheduled_for FROM run w
        WHERE v_run.overlap = 'replace' AND w.namespace = v_run.namespace AND w.key = v_run.key
          AND w.state = 'waiting' AND w.overlap = 'replace'
    ) i ON r.id = i.id AND r.scheduled_for = i.scheduled_for
    ORDER BY r.id FOR UPDATE OF r) k;
  PERFORM FROM key_slot s WHERE s.namespace = v_run.namespace AND s.key = v_run.key ORDER BY s.slot FOR UPDATE;

  SELECT r.* INTO v_run FROM run r
  WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.state = p_state AND r.dispatch = p_dispatch
    AND r.attempt = p_attempt AND r.cancel_requested_at IS NULL;
  IF NOT FOUND OR v_run.state NOT IN ('planned', 'queued', 'retrying') THEN
    RETURN QUERY SELECT 'stale', NULL::uuid, NULL::text;
    RETURN;
  END IF;

  SELECT h.taken, h.holder, least(v_run.key_limit, h.key_limit) INTO v_taken, v_holder, v_limit
  FROM key_holders(v_run.namespace, v_run.key, v_run.id) h;
  IF v_run.attempt = 0 AND v_run.overlap IN ('wait-all', 'replace') THEN
    v_ahead := line_ahead(v_run.namespace, v_run.key, v_run.overlap, v_run.scheduled_for, v_run.id);
  END IF;
  IF v_ahead IS NOT NULL AND v_run.overlap = 'replace' THEN
    v_holder := v_ahead;
    v_reason := 'replaced by run ' || v_ahead || ' before it started';
  END IF;
  IF v_taken < v_limit AND v_ahead IS NULL THEN
    RETURN QUERY SELECT 'free', NULL::uuid, NULL::text;
    RETURN;
  ELSIF v_taken < v_limit THEN
    v_holder := v_ahead;
  END IF;

  IF v_reason IS NULL AND v_run.attempt = 0 AND v_run.waiting_since IS NULL AND p_max_waiting IS NOT NULL THEN
    SELECT count(*), (array_agg(w.id ORDER BY w.scheduled_for, w.id))[1] INTO v_others, v_waiter
    FROM (SELECT r.id, r.scheduled_for FROM run r
      WHERE r.namespace = v_run.namespace AND r.key = v_run.key AND r.state = 'waiting'
      ORDER BY r.scheduled_for, r.id LIMIT p_max_waiting) w;
    IF v_others >= p_max_waiting THEN
      v_reason := format('the key "%s" was held by run %s', v_run.key, v_holder)
        || CASE WHEN v_limit < v_run.key_limit AND v_taken >= v_limit THEN format(', whose task gives it a limit of %s', v_limit) ELSE '' END
        || CASE v_others WHEN 0 THEN ''
        WHEN 1 THEN format(', and run %s waited for it already', v_waiter)
        ELSE format(', and %s runs waited for it already', v_others) END;
    END IF;
  END IF;
  IF v_reason IS NOT NULL THEN
    PERFORM settle_runs(ARRAY[v_run.id], ARRAY[v_run.scheduled_for]::timestamptz[], ARRAY[p_state], ARRAY[p_dispatch],
      ARRAY[p_attempt], ARRAY[NULL::bigint], ARRAY[gen_random_uuid()], ARRAY['skipped'], ARRAY[v_reason],
      ARRAY[NULL::timestamptz], ARRAY[NULL::text], ARRAY[false], ARRAY[false], ARRAY[NULL::jsonb], ARRAY[NULL::jsonb],
      ARRAY[NULL::integer], ARRAY[v_holder], ARRAY[NULL::boolean]);
    RETURN QUERY SELECT 'skipped', v_holder, v_reason;
    RETURN;
  END IF;

  IF v_run.overlap = 'replace' AND v_run.attempt = 0 THEN
    IF v_taken <> (SELECT count(*) FROM key_slot s
      WHERE s.namespace = v_run.namespace AND s.key = v_run.key AND s.run_id <> v_run.id
        AND slot_taken(s.run_id, s.run_scheduled_for, s.since) AND s.run_id = ANY (v_locked))
      OR end_replaced(v_run.namespace, v_run.key, v_run.id) THEN
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
  WHERE s.namespace = v_run.namespace AND s.key = v_run.key;
  RETURN QUERY SELECT 'waiting', v_holder, NULL::text;
END $$;
