-- Overlap policies that wait. The line of a key is its runs in the state `waiting`; Redis knows nothing of it.
ALTER TABLE "task" DROP CONSTRAINT "task_overlap_known", ADD CONSTRAINT "task_overlap_known"
  CHECK ("overlap" IN ('skip', 'wait-one', 'wait-all', 'replace', 'allow'));

-- Since when it has been in line, and how long it is ready to be; kept after it has begun.
ALTER TABLE "run" ADD COLUMN "waiting_since" timestamptz(3), ADD COLUMN "wait_until" timestamptz(3);
ALTER TABLE "run" DROP CONSTRAINT "run_overlap_known", ADD CONSTRAINT "run_overlap_known"
  CHECK ("overlap" IN ('skip', 'wait-one', 'wait-all', 'replace', 'allow'));
ALTER TABLE "run" ADD CONSTRAINT "run_waiting_has_start" CHECK ("state" <> 'waiting' OR "waiting_since" IS NOT NULL);

-- Whether anybody may be waiting for the slot: who frees it sees on the row that it locks anyway whether there is a line.
ALTER TABLE "key_slot" ADD COLUMN "awaited" boolean NOT NULL DEFAULT false;

CREATE INDEX "run_waiting" ON "run" ("namespace", "key", "scheduled_for", "id") WHERE "state" = 'waiting';
CREATE INDEX "run_wait_until" ON "run" ("namespace", "wait_until") WHERE "state" = 'waiting' AND "wait_until" IS NOT NULL;
CREATE INDEX "run_replacing" ON "run" ("namespace", "key") WHERE "state" = 'waiting' AND "overlap" = 'replace';
-- Who goes before whom, where the policy asks for it. Runs of other policies are not in it and cost nothing.
CREATE INDEX "run_ordered" ON "run" ("namespace", "key", "scheduled_for", "id")
  WHERE "overlap" IN ('wait-all', 'replace') AND "state" IN ('planned', 'queued', 'waiting');

-- The functions below plan without sequential scans: a plan that is cached while a partition is small would be one.

-- Whether a slot's run keeps others out: it runs, is between its attempts, or has had the slot reserved for it for less
-- than 5 s. A run that waits, is unknown or has ended does not.
CREATE FUNCTION "slot_taken"(p_run uuid, p_scheduled_for timestamptz, p_since timestamptz)
RETURNS boolean LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT p_run IS NOT NULL AND EXISTS (SELECT FROM run h WHERE h.id = p_run AND h.scheduled_for = p_scheduled_for
    AND (h.state IN ('running', 'retrying') OR h.state IN ('planned', 'queued') AND h.attempt > 0
      OR h.state IN ('planned', 'queued', 'waiting') AND p_since > now() - interval '5 s'));
$$;

-- The run of the key that goes before this one: for `wait-all` the earliest that is due and has not begun (I13), for
-- `replace` the newest. Null: none does.
CREATE FUNCTION "line_ahead"(p_namespace text, p_key text, p_overlap text, p_scheduled_for timestamptz, p_run uuid)
RETURNS uuid LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT CASE p_overlap
    WHEN 'wait-all' THEN (SELECT e.id FROM run e
      WHERE e.namespace = p_namespace AND e.key = p_key AND e.overlap = 'wait-all'
        AND e.state IN ('planned', 'queued', 'waiting') AND e.attempt = 0
        AND e.due_at <= now() AND e.cancel_requested_at IS NULL
        AND (e.state <> 'waiting' OR e.wait_until IS NULL OR e.wait_until > now())
        AND e.scheduled_for <= p_scheduled_for AND (e.scheduled_for, e.id) < (p_scheduled_for, p_run)
      ORDER BY e.scheduled_for, e.id LIMIT 1)
    WHEN 'replace' THEN (SELECT e.id FROM run e
      WHERE e.namespace = p_namespace AND e.key = p_key AND e.overlap = 'replace'
        AND e.state IN ('planned', 'queued', 'waiting') AND e.attempt = 0
        AND e.due_at <= now() AND e.cancel_requested_at IS NULL
        AND e.scheduled_for >= p_scheduled_for AND (e.scheduled_for, e.id) > (p_scheduled_for, p_run)
      ORDER BY e.scheduled_for DESC, e.id DESC LIMIT 1)
  END;
$$;

-- Keys with waiting runs and room for one of them: a wake-up was lost, or a reservation has lapsed.
CREATE FUNCTION "waiting_keys"(p_namespace text, p_limit integer)
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
  WHERE (SELECT count(*) FROM key_slot s WHERE s.namespace = p_namespace AND s.key = l.key AND s.slot <= l.key_limit
    AND slot_taken(s.run_id, s.run_scheduled_for, s.since)) < l.key_limit
  LIMIT p_limit;
$$;

-- Wakes the next in line of each key as far as it has free slots: `waiting` becomes `queued` under the next dispatch, and
-- the slot is reserved for the run. The caller adds the jobs of what is returned; what it leaves out the reconciler adds.
-- Neither slots nor runs that others have locked are waited for: they do their part themselves, and it cannot deadlock.
CREATE FUNCTION "wake_waiting"(p_namespace text, p_keys text[]) RETURNS TABLE (
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

-- Puts a run whose key is busy into the line, or says why not. Answers
-- 'waiting'; 'free': there is room after all, begin it; 'full': p_max_waiting others wait already (`others` so many,
-- `waiter` the first of them); 'replaced': a newer run of the key takes its place; 'stale': it is not as the caller saw it.
-- p_max_waiting, p_max_wait_ms: null for no bound. A run that had begun, or had waited before, keeps its place and is not
-- judged again.
CREATE FUNCTION "wait_run"(
  p_run uuid, p_scheduled_for timestamptz, p_state text, p_dispatch integer, p_attempt integer, p_job_dispatch integer,
  p_max_waiting integer, p_max_wait_ms bigint, p_cancel_channel text
) RETURNS TABLE ("result" text, "holder" uuid, "others" integer, "waiter" uuid)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_run run%ROWTYPE;
  v_locked uuid[];
  v_taken integer;
  v_holder uuid;
  v_ahead uuid;
  v_others integer := 0;
  v_waiter uuid;
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
    RETURN QUERY SELECT 'stale', NULL::uuid, 0, NULL::uuid;
    RETURN;
  END IF;

  SELECT count(*), (array_agg(s.run_id ORDER BY s.since, s.slot))[1] INTO v_taken, v_holder
  FROM key_slot s
  WHERE s.namespace = v_run.namespace AND s.key = v_run.key AND s.slot <= v_run.key_limit AND s.run_id <> v_run.id
    AND slot_taken(s.run_id, s.run_scheduled_for, s.since);
  IF v_run.attempt = 0 AND v_run.overlap IN ('wait-all', 'replace') THEN
    v_ahead := line_ahead(v_run.namespace, v_run.key, v_run.overlap, v_run.scheduled_for, v_run.id);
  END IF;
  IF v_ahead IS NOT NULL AND v_run.overlap = 'replace' THEN
    RETURN QUERY SELECT 'replaced', v_ahead, 0, NULL::uuid;
    RETURN;
  END IF;
  IF v_taken < v_run.key_limit THEN
    IF v_ahead IS NULL THEN
      RETURN QUERY SELECT 'free', NULL::uuid, 0, NULL::uuid;
      RETURN;
    END IF;
    v_holder := v_ahead;
  END IF;

  IF v_run.attempt = 0 AND v_run.waiting_since IS NULL AND p_max_waiting IS NOT NULL THEN
    SELECT count(*), (array_agg(w.id ORDER BY w.scheduled_for, w.id))[1] INTO v_others, v_waiter
    FROM (SELECT r.id, r.scheduled_for FROM run r
      WHERE r.namespace = v_run.namespace AND r.key = v_run.key AND r.state = 'waiting'
      ORDER BY r.scheduled_for, r.id LIMIT p_max_waiting) w;
    IF v_others >= p_max_waiting THEN
      RETURN QUERY SELECT 'full', v_holder, v_others, v_waiter;
      RETURN;
    END IF;
  END IF;

  IF v_run.overlap = 'replace' AND v_run.attempt = 0 THEN
    IF v_taken <> (SELECT count(*) FROM key_slot s
      WHERE s.namespace = v_run.namespace AND s.key = v_run.key AND s.slot <= v_run.key_limit AND s.run_id <> v_run.id
        AND slot_taken(s.run_id, s.run_scheduled_for, s.since) AND s.run_id = ANY (v_locked))
      OR end_replaced(v_run.namespace, v_run.key, v_run.id) THEN
      RETURN QUERY SELECT 'free', NULL::uuid, 0, NULL::uuid;
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
  RETURN QUERY SELECT 'waiting', v_holder, v_others, v_waiter;
END $$;

-- Ends what a replacing run need not ask: older runs of its key that wait to replace, or have a slot and are not at work.
-- True: a slot has become free.
CREATE FUNCTION "end_replaced"(p_namespace text, p_key text, p_by uuid) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_ends record;
BEGIN
  SELECT array_agg(e.id ORDER BY e.id) AS ids, array_agg(e.scheduled_for ORDER BY e.id) AS times,
    array_agg(e.state ORDER BY e.id) AS states, array_agg(e.dispatch ORDER BY e.id) AS dispatches,
    array_agg(e.attempt ORDER BY e.id) AS attempts, count(*)::integer AS many, bool_or(e.has_slot) AS frees,
    array_agg(CASE WHEN e.attempt = 0 THEN 'skipped' ELSE 'cancelled' END ORDER BY e.id) AS ends,
    array_agg(CASE WHEN e.attempt = 0 THEN 'replaced by run ' || p_by || ' before it started'
      ELSE 'cancelled between attempts: replaced by run ' || p_by END ORDER BY e.id) AS reasons
  INTO v_ends
  FROM (
    SELECT w.id, w.scheduled_for, w.state, w.dispatch, w.attempt, false AS has_slot FROM run w
    WHERE w.namespace = p_namespace AND w.key = p_key AND w.state = 'waiting' AND w.overlap = 'replace'
      AND w.attempt = 0 AND w.id <> p_by
    UNION ALL
    SELECT h.id, h.scheduled_for, h.state, h.dispatch, h.attempt, true FROM key_slot s
    JOIN run h ON h.id = s.run_id AND h.scheduled_for = s.run_scheduled_for
    WHERE s.namespace = p_namespace AND s.key = p_key AND h.slot = s.slot AND h.id <> p_by
      AND (h.state = 'retrying' OR h.state = 'queued' AND (h.attempt > 0 OR h.overlap = 'replace'))
  ) e;
  IF v_ends.many > 0 THEN
    PERFORM settle_runs(v_ends.ids, v_ends.times, v_ends.states, v_ends.dispatches, v_ends.attempts,
      array_fill(NULL::bigint, ARRAY[v_ends.many]),
      (SELECT array_agg(gen_random_uuid()) FROM generate_series(1, v_ends.many)), v_ends.ends, v_ends.reasons,
      array_fill(NULL::timestamptz, ARRAY[v_ends.many]), array_fill(NULL::text, ARRAY[v_ends.many]),
      array_fill(false, ARRAY[v_ends.many]), array_fill(false, ARRAY[v_ends.many]),
      array_fill(NULL::jsonb, ARRAY[v_ends.many]), array_fill(NULL::jsonb, ARRAY[v_ends.many]),
      array_fill(NULL::integer, ARRAY[v_ends.many]), array_fill(p_by, ARRAY[v_ends.many]),
      array_fill(NULL::boolean, ARRAY[v_ends.many]));
  END IF;
  RETURN coalesce(v_ends.frees, false);
END $$;

-- Asks the longest running holder of the key to stop, unless one was asked already. How many were asked.
CREATE FUNCTION "ask_replaced"(p_namespace text, p_key text, p_by uuid, p_cancel_channel text) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_asked integer;
BEGIN
  WITH holder AS MATERIALIZED (
    SELECT h.id, h.scheduled_for, h.state, h.started_at, h.cancel_requested_at FROM key_slot s
    JOIN run h ON h.id = s.run_id AND h.scheduled_for = s.run_scheduled_for
    WHERE s.namespace = p_namespace AND s.key = p_key AND h.id <> p_by
  ), asked AS (
    UPDATE run r SET cancel_requested_at = now(), cancel_reason = 'replaced by run ' || p_by
    FROM (SELECT h.id, h.scheduled_for FROM holder h
      WHERE h.state = 'running' AND NOT EXISTS (SELECT FROM holder o WHERE o.cancel_requested_at IS NOT NULL)
      ORDER BY h.started_at, h.id LIMIT 1) first
    WHERE r.id = first.id AND r.scheduled_for = first.scheduled_for AND r.state = 'running'
      AND r.cancel_requested_at IS NULL
    RETURNING r.id
  )
  SELECT count(*) INTO v_asked FROM asked;
  IF v_asked > 0 THEN
    PERFORM pg_notify(p_cancel_channel, p_namespace);
  END IF;
  RETURN v_asked;
END $$;

-- Ends, or sends to its next attempt, each named run that is still as the caller saw it. The only way a run
-- becomes terminal. Answers 'applied', 'repeated' (this very call was already carried out) or 'stale'.
-- p_from_end: whether the task's schedule counts from the end of its runs; null: look.
-- A fence that is not null must still be the slot's own: a frozen holder cannot commit after its successor.
-- What it frees it gives to the next in line at once: for each run that it woke a row without ordinality follows, `woken`
-- with `by`, the member that made room.
DROP FUNCTION "settle_runs";
CREATE FUNCTION "settle_runs"(
  p_run uuid[], p_scheduled_for timestamptz[], p_from_state text[], p_dispatch integer[], p_attempt integer[],
  p_fence bigint[], p_settle_id uuid[], p_to_state text[], p_reason text[], p_retry_at timestamptz[],
  p_attempt_outcome text[], p_lost boolean[], p_spared boolean[], p_error jsonb[], p_output jsonb[], p_exit_code integer[], p_blocked_by uuid[],
  p_from_end boolean[]
) RETURNS TABLE ("ordinality" bigint, "result" text, "woken" jsonb) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_results text[];
  v_namespaces text[];
  v_keys text[];
  v_slots integer[];
  v_members bigint[];
BEGIN
  WITH input AS MATERIALIZED (
    SELECT * FROM unnest(p_run, p_scheduled_for, p_from_state, p_dispatch, p_attempt, p_fence, p_settle_id, p_to_state,
      p_reason, p_retry_at, p_attempt_outcome, p_lost, p_spared, p_error, p_output, p_exit_code, p_blocked_by, p_from_end)
      WITH ORDINALITY AS i(run_id, scheduled_for, from_state, dispatch, attempt, fence, settle_id, to_state,
        reason, retry_at, attempt_outcome, lost, spared, error, output, exit_code, blocked_by,
        from_end, ord)
  ), picked AS MATERIALIZED (
    -- Rows are locked in key order, runs before slots, in every statement: no deadlock.
    SELECT i.*, r.namespace, r.key, r.slot, r.overlap, r.started_at AS began_at, r.worker, r.fence AS run_fence
    FROM input i
    JOIN run r ON r.id = i.run_id AND r.scheduled_for = i.scheduled_for
    WHERE r.state = i.from_state AND r.dispatch = i.dispatch AND r.attempt = i.attempt
      AND (i.fence IS NULL OR r.fence = i.fence)
    ORDER BY r.namespace, r.key, r.id
    FOR UPDATE OF r
  ), held AS MATERIALIZED (
    SELECT s.namespace, s.key, s.slot, s.awaited, p.run_id, p.to_state
    FROM picked p
    JOIN key_slot s ON s.namespace = p.namespace AND s.key = p.key AND s.slot = p.slot
    WHERE s.run_id = p.run_id AND (p.fence IS NULL OR s.fence = p.fence)
    ORDER BY s.namespace, s.key, s.slot
    FOR UPDATE OF s
  ), allowed AS MATERIALIZED (
    SELECT p.*, h.awaited, h.run_id IS NOT NULL AND p.to_state <> 'retrying' AS frees FROM picked p
    LEFT JOIN held h ON h.run_id = p.run_id
    WHERE p.fence IS NULL OR p.slot IS NULL OR h.run_id IS NOT NULL
  ), freed AS (
    UPDATE key_slot s SET run_id = NULL, run_scheduled_for = NULL, worker = NULL, since = NULL
    FROM held h
    WHERE s.namespace = h.namespace AND s.key = h.key AND s.slot = h.slot AND h.to_state <> 'retrying'
  ), settled AS (
    UPDATE run r SET
      state = p.to_state, reason = p.reason, finish_id = p.settle_id,
      finished_at = CASE WHEN p.to_state IN ('retrying', 'unknown') THEN NULL ELSE now() END,
      due_at = coalesce(p.retry_at, r.due_at), lost = r.lost + p.lost::integer, spared = r.spared + p.spared::integer,
      error = p.error, output = p.output, exit_code = p.exit_code, blocked_by = coalesce(p.blocked_by, r.blocked_by)
    FROM allowed p
    WHERE r.id = p.run_id AND r.scheduled_for = p.scheduled_for
    RETURNING r.id, r.namespace, r.scheduled_for, r.state, r.task_id, r.origin, p.from_state, p.from_end, p.ord, r.key,
      CASE WHEN p.frees THEN p.slot END AS freed_slot,
      p.frees AND (p.awaited OR p.overlap = 'wait-all') OR p.from_state = 'waiting'
        OR p.overlap = 'wait-all' AND p.from_state IN ('planned', 'queued') AS makes_room
  ), recorded AS (
    INSERT INTO attempt (run_id, scheduled_for, attempt, outcome, reason, worker, fence, started_at, error, exit_code)
    SELECT p.run_id, p.scheduled_for, p.attempt, p.attempt_outcome, p.reason, p.worker, p.run_fence, p.began_at, p.error, p.exit_code
    FROM allowed p WHERE p.to_state = 'retrying'
    ON CONFLICT DO NOTHING
  ), noticed AS (
    INSERT INTO notice (namespace, run_id, scheduled_for)
    SELECT s.namespace, s.id, s.scheduled_for FROM settled s
    WHERE s.state IN ('failed', 'timed_out', 'quarantined', 'unknown') AND s.from_state <> 'unknown'
  ), counted_from_end AS (
    UPDATE task t SET next_run_at = now() + make_interval(secs => (t.schedule->>'delayMs')::bigint / 1000.0),
      plan_seq = t.plan_seq + 1
    FROM settled s
    WHERE s.from_end IS NOT FALSE AND t.id = s.task_id AND t.schedule->>'kind' = 'fixed-delay' AND t.deleted_at IS NULL AND t.next_run_at IS NULL
      AND s.origin IN ('schedule', 'catch_up') AND s.state NOT IN ('retrying', 'superseded') AND s.from_state <> 'unknown'
  )
  SELECT array_agg(CASE WHEN s.id IS NOT NULL THEN 'applied'
      WHEN EXISTS (SELECT FROM run r WHERE r.id = i.run_id AND r.scheduled_for = i.scheduled_for AND r.finish_id = i.settle_id)
        THEN 'repeated'
      ELSE 'stale' END ORDER BY i.ord),
    array_agg(s.namespace) FILTER (WHERE s.makes_room), array_agg(s.key) FILTER (WHERE s.makes_room),
    array_agg(s.freed_slot) FILTER (WHERE s.makes_room), array_agg(s.ord) FILTER (WHERE s.makes_room)
  INTO v_results, v_namespaces, v_keys, v_slots, v_members
  FROM input i LEFT JOIN settled s ON s.ord = i.ord;
  RETURN QUERY SELECT m.ord, m.answer, NULL::jsonb FROM unnest(v_results) WITH ORDINALITY AS m(answer, ord);

  IF v_keys IS NOT NULL THEN
    -- A statement of its own, so that it sees who began to wait while this one waited for the slots' locks.
    RETURN QUERY
    SELECT NULL::bigint, 'woken', jsonb_build_object('id', w.run_id, 'pool', w.pool, 'dispatch', w.dispatch,
      'key', w.key, 'slot', w.slot, 's', round(extract(epoch FROM w.scheduled_for) * 1000),
      'd', round(extract(epoch FROM w.due_at) * 1000), 'by', (
        SELECT t.member FROM unnest(v_namespaces, v_keys, v_slots, v_members) AS t(namespace, key, slot, member)
        WHERE t.namespace = n.namespace AND t.key = w.key
        ORDER BY (t.slot IS NOT DISTINCT FROM w.slot) DESC, t.member LIMIT 1))
    FROM (SELECT t.namespace, array_agg(t.key) AS keys FROM unnest(v_namespaces, v_keys) AS t(namespace, key)
      GROUP BY t.namespace) n
    CROSS JOIN LATERAL wake_waiting(n.namespace, n.keys) w;
  END IF;
END $$;
