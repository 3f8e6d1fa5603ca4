-- What a run leaves behind beside its output: the task's state, when it is due next, runs that are to follow. And follow-ups:
-- what is to be done because a run began or ended, noted by the same write whichever way it came.

-- What a task keeps between its runs of a key.
CREATE TABLE "task_state" (
  "task_id"    uuid NOT NULL,
  "key"        text NOT NULL,
  "value"      jsonb NOT NULL,
  -- The version of the declaration that wrote it.
  "shape"      integer NOT NULL DEFAULT 1,
  -- Counts the changes: a run commits against the one that it read.
  "version"    bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz(3) NOT NULL DEFAULT now(),
  -- `run:ID`, or a person.
  "updated_by" text NOT NULL,
  CONSTRAINT "task_state_pkey" PRIMARY KEY ("task_id", "key"),
  CONSTRAINT "task_state_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task" ("id") ON DELETE CASCADE
) WITH (fillfactor = 80);

-- Set where a run of the task has decided when it is due next: until then its schedule rests.
ALTER TABLE "task_pause" ADD COLUMN "run_id" uuid;

-- Whether anything follows the runs of a version.
ALTER TABLE "task_version" ADD COLUMN "follows" boolean NOT NULL GENERATED ALWAYS AS ("definition" ?| ARRAY['then', 'onStart',
  'onSuccess', 'onFailure', 'onFinish', 'onSkip', 'onMisfire', 'onLate']) STORED;

-- What is still to be done about a run. Whoever does it deletes the row in the same write.
CREATE TABLE "follow_up" (
  "id"            bigint GENERATED ALWAYS AS IDENTITY,
  "namespace"     text NOT NULL,
  "run_id"        uuid NOT NULL,
  "scheduled_for" timestamptz(3) NOT NULL,
  "task_id"       uuid NOT NULL,
  -- started, ended: for the task's lifecycle and `then`; chain: the handler asked for these runs; next: it said when its
  -- task is due next.
  "event"         text NOT NULL,
  "detail"        jsonb,
  "not_before"    timestamptz(3) NOT NULL DEFAULT now(),
  "tries"         integer NOT NULL DEFAULT 0,
  -- Why it could not be done.
  "error"         text,
  "created_at"    timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "follow_up_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "follow_up_event_known" CHECK ("event" IN ('started', 'ended', 'chain', 'next'))
);
CREATE INDEX "follow_up_due" ON "follow_up" ("namespace", "not_before", "id");
CREATE INDEX "follow_up_run" ON "follow_up" ("run_id");
CREATE INDEX "follow_up_next" ON "follow_up" ("task_id") WHERE "event" = 'next';

CREATE FUNCTION "note_follow_up"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  INSERT INTO follow_up (namespace, run_id, scheduled_for, task_id, event)
  SELECT NEW.namespace, NEW.id, NEW.scheduled_for, NEW.task_id, CASE NEW.state WHEN 'running' THEN 'started' ELSE 'ended' END
  FROM task_version v WHERE v.task_id = NEW.task_id AND v.version = NEW.task_version AND v.follows;
  RETURN NULL;
END $$;

CREATE TRIGGER "run_follow_up" AFTER UPDATE OF "state" ON "run" FOR EACH ROW
  WHEN (OLD."state" <> NEW."state" AND (NEW."state" = 'running' AND NEW."attempt" = 1 OR NEW."state" IN ('succeeded', 'failed',
    'timed_out', 'cancelled', 'quarantined', 'skipped', 'missed')))
  EXECUTE FUNCTION "note_follow_up"();
CREATE TRIGGER "run_follow_up_at_once" AFTER INSERT ON "run" FOR EACH ROW
  WHEN (NEW."state" IN ('skipped', 'missed')) EXECUTE FUNCTION "note_follow_up"();

-- The runs whose state somebody else has changed since they read it. Locks the states, so that nobody does until the end.
CREATE FUNCTION "state_conflicts"(p_run uuid[], p_scheduled_for timestamptz[], p_effects jsonb[]) RETURNS uuid[]
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_conflicts uuid[];
BEGIN
  PERFORM FROM task_state s
  JOIN (SELECT r.task_id, r.key FROM unnest(p_run, p_scheduled_for, p_effects) AS i(run_id, scheduled_for, effects)
    JOIN run r ON r.id = i.run_id AND r.scheduled_for = i.scheduled_for WHERE i.effects ? 'state') c
    ON c.task_id = s.task_id AND c.key = s.key
  ORDER BY s.task_id, s.key FOR UPDATE OF s;
  SELECT array_agg(r.id) INTO v_conflicts
  FROM unnest(p_run, p_scheduled_for, p_effects) AS i(run_id, scheduled_for, effects)
  JOIN run r ON r.id = i.run_id AND r.scheduled_for = i.scheduled_for
  LEFT JOIN task_state s ON s.task_id = r.task_id AND s.key = r.key
  WHERE i.effects ? 'state' AND coalesce(s.version, 0) <> (i.effects->'state'->>'version')::bigint;
  RETURN coalesce(v_conflicts, '{}');
END $$;

-- Commits what the runs that have just ended leave behind.
CREATE FUNCTION "apply_effects"(p_run uuid[], p_scheduled_for timestamptz[], p_effects jsonb[], p_applied uuid[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_row record;
  v_next timestamptz;
  v_changed integer;
BEGIN
  FOR v_row IN
    SELECT r.id, r.scheduled_for, r.namespace, r.task_id, r.key, i.effects
    FROM unnest(p_run, p_scheduled_for, p_effects) AS i(run_id, scheduled_for, effects)
    JOIN run r ON r.id = i.run_id AND r.scheduled_for = i.scheduled_for
    WHERE i.effects IS NOT NULL AND r.id = ANY (p_applied)
    ORDER BY r.task_id, r.key
  LOOP
    IF v_row.effects ? 'state' THEN
      INSERT INTO task_state AS s (task_id, key, value, shape, updated_by)
      VALUES (v_row.task_id, v_row.key, v_row.effects->'state'->'value', (v_row.effects->'state'->>'shape')::integer,
        'run:' || v_row.id)
      ON CONFLICT (task_id, key) DO UPDATE SET value = excluded.value, shape = excluded.shape, version = s.version + 1,
        updated_at = now(), updated_by = excluded.updated_by
      WHERE s.version = (v_row.effects->'state'->>'version')::bigint;
      GET DIAGNOSTICS v_changed = ROW_COUNT;
      -- Somebody made it in this very moment: the caller repeats, and is told then.
      IF v_changed = 0 THEN
        RAISE EXCEPTION 'the state of key % was made meanwhile', v_row.key USING ERRCODE = 'serialization_failure';
      END IF;
    END IF;
    IF v_row.effects ? 'chain' THEN
      INSERT INTO follow_up (namespace, run_id, scheduled_for, task_id, event, detail)
      VALUES (v_row.namespace, v_row.id, v_row.scheduled_for, v_row.task_id, 'chain', v_row.effects->'chain');
    END IF;
    IF v_row.effects ? 'next' THEN
      -- greatest() would make of null, which is never again, now.
      v_next := CASE WHEN v_row.effects->>'next' IS NOT NULL THEN greatest((v_row.effects->>'next')::timestamptz, now()) END;
      PERFORM forget_next(v_row.task_id, 'run ' || v_row.id || ' decided anew when its task is due next');
      INSERT INTO task_pause (task_id, from_at, until_at, note, created_by, run_id)
      VALUES (v_row.task_id, now(), v_next + interval '1 ms', CASE WHEN v_next IS NULL THEN 'run ' || v_row.id || ' said: never again'
        ELSE format('run %s said: next at %s', v_row.id, to_char(v_next AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) END,
        'run:' || v_row.id, v_row.id);
      IF v_next IS NOT NULL THEN
        INSERT INTO follow_up (namespace, run_id, scheduled_for, task_id, event, detail, not_before)
        VALUES (v_row.namespace, v_row.id, v_row.scheduled_for, v_row.task_id, 'next',
          jsonb_build_object('at', round(extract(epoch FROM v_next) * 1000)), v_next - interval '1 minute');
      END IF;
    END IF;
  END LOOP;
END $$;

-- Takes back what an earlier run of a task has decided about the next one, as long as that has not begun.
CREATE FUNCTION "forget_next"(p_task uuid, p_reason text) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  DELETE FROM follow_up f WHERE f.task_id = p_task AND f.event = 'next';
  UPDATE task_pause p SET until_at = greatest(now(), p.from_at)
  WHERE p.task_id = p_task AND p.run_id IS NOT NULL AND (p.until_at IS NULL OR p.until_at > now());
  UPDATE run r SET state = 'superseded', reason = p_reason, finished_at = now()
  WHERE r.task_id = p_task AND r.scheduled_for > now() AND r.origin = 'chain' AND r.ordinal = -1 AND r.attempt = 0
    AND r.state IN ('planned', 'queued');
END $$;

-- Ends, or sends to its next attempt, each named run that is still as the caller saw it. The only way a run
-- becomes terminal. Answers 'applied', 'repeated' (this very call was already carried out), 'conflict' (somebody else has
-- changed the state that the run wants to change: nothing is written) or 'stale'.
-- p_from_end: whether the task's schedule counts from the end of its runs; null: look. p_effects: what runs leave behind.
-- A fence that is not null must still be the slot's own: a frozen holder cannot commit after its successor.
-- What it frees it gives to the next in line at once: for each run that it woke a row without ordinality follows, `woken`
-- with `by`, the member that made room.
DROP FUNCTION "settle_runs";
CREATE FUNCTION "settle_runs"(
  p_run uuid[], p_scheduled_for timestamptz[], p_from_state text[], p_dispatch integer[], p_attempt integer[],
  p_fence bigint[], p_settle_id uuid[], p_to_state text[], p_reason text[], p_retry_at timestamptz[],
  p_attempt_outcome text[], p_lost boolean[], p_spared boolean[], p_error jsonb[], p_output jsonb[], p_exit_code integer[], p_blocked_by uuid[],
  p_from_end boolean[], p_effects jsonb[] DEFAULT NULL
) RETURNS TABLE ("ordinality" bigint, "result" text, "woken" jsonb) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_results text[];
  v_namespaces text[];
  v_keys text[];
  v_slots integer[];
  v_members bigint[];
  v_applied uuid[];
  v_conflicts uuid[] := '{}';
BEGIN
  IF p_effects IS NOT NULL THEN
    v_conflicts := state_conflicts(p_run, p_scheduled_for, p_effects);
  END IF;
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
      AND (i.fence IS NULL OR r.fence = i.fence) AND i.run_id <> ALL (v_conflicts)
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
      WHEN i.run_id = ANY (v_conflicts) THEN 'conflict'
      ELSE 'stale' END ORDER BY i.ord),
    array_agg(s.namespace) FILTER (WHERE s.makes_room), array_agg(s.key) FILTER (WHERE s.makes_room),
    array_agg(s.freed_slot) FILTER (WHERE s.makes_room), array_agg(s.ord) FILTER (WHERE s.makes_room),
    array_agg(s.id) FILTER (WHERE s.id IS NOT NULL)
  INTO v_results, v_namespaces, v_keys, v_slots, v_members, v_applied
  FROM input i LEFT JOIN settled s ON s.ord = i.ord;
  IF p_effects IS NOT NULL AND v_applied IS NOT NULL THEN
    PERFORM apply_effects(p_run, p_scheduled_for, p_effects, v_applied);
  END IF;
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
