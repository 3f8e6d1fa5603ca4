-- schema.prisma gets the new columns; the rest of this migration is written by hand.

-- A run is written three times: planned, begun, ended. Each index on what the last two change made Postgres write an
-- entry into every index of the table, each time. `phase` says what the indexes need to know of a state. It is the same for
-- `queued` and `running`, so that a begin stays on its page (a heap-only update), and an end touches three indexes instead
-- of seven. One column, not one for each index: every statement reads and prepares each anew. See docs/decisions/0023.
ALTER TABLE "run"
  -- live: Redis has its job, or a worker has it. ticking: its tick will bring it to a worker. untold: Redis was not told of it.
  -- dead: it ended badly, or nobody knows how. Null: it is over.
  ADD COLUMN "phase" text GENERATED ALWAYS AS (CASE "state" WHEN 'queued' THEN 'live' WHEN 'running' THEN 'live'
    WHEN 'planned' THEN CASE "origin" WHEN 'schedule' THEN 'ticking' ELSE 'untold' END WHEN 'retrying' THEN 'untold'
    WHEN 'waiting' THEN 'waiting' WHEN 'held' THEN 'held' WHEN 'failed' THEN 'dead' WHEN 'timed_out' THEN 'dead'
    WHEN 'quarantined' THEN 'dead' WHEN 'unknown' THEN 'dead' END) STORED,
  -- The same for all occurrences, its own id for any other row: (task_id, scheduled_for, distinct_by) is unique.
  ADD COLUMN "distinct_by" uuid NOT NULL GENERATED ALWAYS AS (CASE WHEN "origin" IN ('schedule', 'catch_up', 'backfill') AND "state" <> 'superseded'
    THEN '00000000-0000-0000-0000-000000000000'::uuid ELSE "id" END) STORED,
  -- Something may follow it: its task version, its batch or its lists want to hear of its states. True is always safe.
  ADD COLUMN "watched" boolean NOT NULL DEFAULT true;

ALTER TABLE "task" ADD COLUMN "follows" boolean NOT NULL GENERATED ALWAYS AS ("definition" ?| ARRAY['then', 'onStart', 'onLate', 'onMisfire',
  'onSuccess', 'onFailure', 'onSkip', 'onFinish']) STORED;

DROP INDEX "run_queued", "run_dispatchable", "run_untold", "run_running", "run_waiting", "run_wait_until", "run_replacing", "run_start_by",
  "run_cancel_requested", "run_ordered", "run_failed", "run_backfill", "run_task", "run_occurrence_key";

-- At most one occurrence of a task at an instant, and a task's runs in order: one index for both. Every row is in it. The
-- condition keeps it out of the plans of statements that name runs by id and scheduled_for: of an empty partition Postgres
-- cannot tell which of two indexes is the right one, and scanning this one for an instant would stay in the cached plan.
CREATE UNIQUE INDEX "run_occurrence_key" ON "run" ("task_id", "scheduled_for", "distinct_by") WHERE "task_id" IS NOT NULL;
CREATE INDEX "run_live" ON "run" ("namespace", "due_at", "id") WHERE "phase" = 'live';
CREATE INDEX "run_untold" ON "run" ("namespace", "due_at") WHERE "phase" = 'untold';
CREATE INDEX "run_ticking" ON "run" ("namespace", "due_at") WHERE "phase" = 'ticking';
CREATE INDEX "run_waiting" ON "run" ("namespace", "key", "scheduled_for", "id") WHERE "phase" = 'waiting';
CREATE INDEX "run_wait_until" ON "run" ("namespace", "wait_until") WHERE "phase" = 'waiting' AND "wait_until" IS NOT NULL;
-- What is under way is in the next three as well: those are few.
CREATE INDEX "run_ordered" ON "run" ("namespace", "key", "scheduled_for", "id")
  WHERE "overlap" IN ('wait-all', 'replace') AND "phase" IN ('live', 'untold', 'ticking', 'waiting');
CREATE INDEX "run_start_by" ON "run" ("namespace", "start_by") WHERE "start_by" IS NOT NULL AND "phase" IN ('live', 'untold', 'ticking', 'waiting');
CREATE INDEX "run_cancel_requested" ON "run" ("namespace") WHERE "cancel_requested_at" IS NOT NULL AND "phase" IN ('live', 'untold', 'ticking', 'waiting', 'held');
CREATE INDEX "run_dead" ON "run" ("namespace", "scheduled_for") WHERE "phase" = 'dead';
CREATE INDEX "run_backfill" ON "run" ("backfill_id") WHERE "backfill_id" IS NOT NULL;

-- Room on each page for what a begin writes.
DO $$
DECLARE
  v_part regclass;
BEGIN
  FOR v_part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'run'::regclass LOOP
    EXECUTE format('ALTER TABLE %s SET (fillfactor = 60)', v_part);
  END LOOP;
END $$;
ALTER TABLE "key_slot" SET (fillfactor = 60);

-- One check a row instead of five: each is read and prepared anew by every statement.
ALTER TABLE "run" DROP CONSTRAINT "run_state_known", DROP CONSTRAINT "run_running_has_holder", DROP CONSTRAINT "run_end_has_time",
  DROP CONSTRAINT "run_end_has_reason", DROP CONSTRAINT "run_waiting_has_start", DROP CONSTRAINT "run_origin_known",
  DROP CONSTRAINT "run_overlap_known";
ALTER TABLE "run"
  ADD CONSTRAINT "run_state_is_whole" CHECK (CASE "state"
    WHEN 'queued' THEN "finished_at" IS NULL
    WHEN 'running' THEN "finished_at" IS NULL AND "worker" IS NOT NULL AND "started_at" IS NOT NULL AND "fence" IS NOT NULL AND "attempt" >= 1
    WHEN 'succeeded' THEN "finished_at" IS NOT NULL
    WHEN 'planned' THEN "finished_at" IS NULL
    WHEN 'retrying' THEN "finished_at" IS NULL
    WHEN 'held' THEN "finished_at" IS NULL
    WHEN 'waiting' THEN "finished_at" IS NULL AND "waiting_since" IS NOT NULL
    WHEN 'unknown' THEN "finished_at" IS NULL AND "reason" IS NOT NULL
    WHEN 'failed' THEN "finished_at" IS NOT NULL AND "reason" IS NOT NULL
    WHEN 'timed_out' THEN "finished_at" IS NOT NULL AND "reason" IS NOT NULL
    WHEN 'cancelled' THEN "finished_at" IS NOT NULL AND "reason" IS NOT NULL
    WHEN 'quarantined' THEN "finished_at" IS NOT NULL AND "reason" IS NOT NULL
    WHEN 'skipped' THEN "finished_at" IS NOT NULL AND "reason" IS NOT NULL
    WHEN 'missed' THEN "finished_at" IS NOT NULL AND "reason" IS NOT NULL
    WHEN 'superseded' THEN "finished_at" IS NOT NULL AND "reason" IS NOT NULL
    ELSE false END),
  ADD CONSTRAINT "run_words_are_known" CHECK ("origin" IN ('schedule', 'catch_up', 'backfill', 'trigger', 'rerun', 'chain', 'lifecycle')
    AND "overlap" IN ('skip', 'wait-one', 'wait-all', 'replace', 'allow'));

-- Two triggers instead of six, and conditions that cost nothing for a run that nothing follows.
DROP TRIGGER "run_batch_child" ON "run";
DROP TRIGGER "run_cancels_batches" ON "run";
DROP TRIGGER "run_follow_up" ON "run";
DROP TRIGGER "run_follow_up_at_once" ON "run";
DROP TRIGGER "run_settles_taken" ON "run";
DROP TRIGGER "run_terminal_is_final" ON "run";
DROP FUNCTION "note_batch_child", "cancel_batches_of", "settle_taken", "note_follow_up";

CREATE TRIGGER "run_terminal_is_final" BEFORE UPDATE ON "run" FOR EACH ROW
  WHEN (OLD."finished_at" IS NOT NULL) EXECUTE FUNCTION "refuse_terminal_change"();

-- What others want to hear of a run: its batch, its own batches, the lists that it took items of, its followers.
CREATE FUNCTION "note_run_change"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_definition jsonb;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.batch_id IS NOT NULL AND NEW.finished_at IS NOT NULL THEN
      INSERT INTO batch_note (batch_id, state) VALUES (NEW.batch_id, NEW.state);
    END IF;
    IF NEW.state = 'cancelled' THEN
      UPDATE batch b SET state = 'cancelling', cancelled_by = NEW.cancel_requested_by,
        reason = 'run ' || NEW.id || ', which had asked for it, was cancelled'
      WHERE b.run_id = NEW.id AND b.state IN ('filling', 'running', 'stopping');
    END IF;
    IF NEW.takes AND OLD.state IN ('running', 'unknown') AND NEW.state NOT IN ('running', 'unknown') THEN
      IF NEW.state = 'succeeded' THEN
        DELETE FROM work_item i WHERE i.run_id = NEW.id;
      ELSE
        UPDATE work_item i SET run_id = NULL, taken_at = NULL WHERE i.run_id = NEW.id;
      END IF;
    END IF;
  END IF;
  IF NOT NEW.watched OR NEW.state = 'superseded' OR NEW.finished_at IS NULL AND (NEW.state <> 'running' OR NEW.attempt <> 1) THEN
    RETURN NULL;
  END IF;
  SELECT v.definition INTO v_definition FROM task_version v
  WHERE v.task_id = NEW.task_id AND v.version = NEW.task_version AND v.follows;
  IF v_definition IS NOT NULL AND v_definition ?| (CASE NEW.state
      WHEN 'running' THEN ARRAY['onStart', 'onLate', 'onMisfire']
      WHEN 'succeeded' THEN ARRAY['then', 'onSuccess', 'onFinish']
      WHEN 'cancelled' THEN ARRAY['then', 'onFinish']
      WHEN 'skipped' THEN ARRAY['then', 'onSkip', 'onFinish']
      WHEN 'missed' THEN ARRAY['onMisfire']
      ELSE ARRAY['then', 'onFailure', 'onFinish'] END) THEN
    INSERT INTO follow_up (namespace, run_id, scheduled_for, task_id, event, detail)
    VALUES (NEW.namespace, NEW.id, NEW.scheduled_for, NEW.task_id, CASE NEW.state WHEN 'running' THEN 'started' ELSE 'ended' END,
      CASE NEW.state WHEN 'running' THEN jsonb_build_object('dueAt', round(extract(epoch FROM NEW.due_at) * 1000)) END);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "run_changed" AFTER UPDATE ON "run" FOR EACH ROW
  WHEN (OLD."state" <> NEW."state" AND (NEW."watched" OR NEW."takes" OR NEW."batch_id" IS NOT NULL OR NEW."state" = 'cancelled'))
  EXECUTE FUNCTION "note_run_change"();
CREATE TRIGGER "run_never_run" AFTER INSERT ON "run" FOR EACH ROW
  WHEN (NEW."watched" AND NEW."finished_at" IS NOT NULL) EXECUTE FUNCTION "note_run_change"();

-- Generated columns are computed, not copied.
CREATE FUNCTION "columns_of"(p_table regclass) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
  WHERE attrelid = p_table AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
$$;

-- The same questions as before, by the new columns.
CREATE OR REPLACE FUNCTION line_ahead(p_namespace text, p_key text, p_overlap text, p_scheduled_for timestamp with time zone, p_run uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE
 SET enable_seqscan = off
AS $$
  SELECT CASE p_overlap
    WHEN 'wait-all' THEN (SELECT e.id FROM run e
      WHERE e.namespace = p_namespace AND e.key = p_key AND e.overlap = 'wait-all'
        AND e.phase IN ('live', 'untold', 'ticking', 'waiting') AND e.state IN ('planned', 'queued', 'waiting') AND e.attempt = 0
        AND e.due_at <= now() AND e.cancel_requested_at IS NULL
        AND (e.state <> 'waiting' OR e.wait_until IS NULL OR e.wait_until > now())
        AND e.scheduled_for <= p_scheduled_for AND (e.scheduled_for, e.id) < (p_scheduled_for, p_run)
      ORDER BY e.scheduled_for, e.id LIMIT 1)
    WHEN 'replace' THEN (SELECT e.id FROM run e
      WHERE e.namespace = p_namespace AND e.key = p_key AND e.overlap = 'replace'
        AND e.phase IN ('live', 'untold', 'ticking', 'waiting') AND e.state IN ('planned', 'queued', 'waiting') AND e.attempt = 0
        AND e.due_at <= now() AND e.cancel_requested_at IS NULL
        AND e.scheduled_for >= p_scheduled_for AND (e.scheduled_for, e.id) > (p_scheduled_for, p_run)
      ORDER BY e.scheduled_for DESC, e.id DESC LIMIT 1)
  END;
$$;

CREATE OR REPLACE FUNCTION waiting_keys(p_namespace text, p_limit integer)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
 SET enable_seqscan = off
AS $$
  WITH RECURSIVE line AS (
    (SELECT r.key, r.key_limit FROM run r WHERE r.namespace = p_namespace AND r.phase = 'waiting'
     ORDER BY r.namespace, r.key, r.scheduled_for LIMIT 1)
    UNION ALL
    SELECT n.key, n.key_limit FROM line l CROSS JOIN LATERAL (
      SELECT r.key, r.key_limit FROM run r WHERE r.namespace = p_namespace AND r.phase = 'waiting' AND r.key > l.key
      ORDER BY r.namespace, r.key, r.scheduled_for LIMIT 1) n
  )
  SELECT l.key FROM line l
  WHERE key_room(p_namespace, l.key, l.key_limit, NULL) IS NOT NULL
  LIMIT p_limit;
$$;

CREATE OR REPLACE FUNCTION wake_waiting(p_namespace text, p_keys text[])
 RETURNS TABLE(run_id uuid, scheduled_for timestamp with time zone, pool text, due_at timestamp with time zone, dispatch integer, key text, slot integer)
 LANGUAGE plpgsql
 SET enable_seqscan = off
 SET enable_hashjoin = off
 SET enable_mergejoin = off
AS $$
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
      WHERE e.namespace = p_namespace AND e.key = v_key AND e.overlap = 'wait-all' AND e.phase IN ('live', 'untold', 'ticking', 'waiting') AND e.state IN ('planned', 'queued')
        AND e.attempt = 0 AND e.due_at <= now() AND e.cancel_requested_at IS NULL
      ORDER BY e.scheduled_for, e.id LIMIT 1;
      SELECT r.id, r.scheduled_for, r.key_limit,
        (SELECT f FROM unnest(v_free) AS f WHERE f <= r.key_limit ORDER BY f LIMIT 1) AS free_slot
      INTO v_next
      FROM run r
      WHERE r.namespace = p_namespace AND r.key = v_key AND r.phase = 'waiting'
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
      AND NOT EXISTS (SELECT FROM run r WHERE r.namespace = p_namespace AND r.key = v_key AND r.phase = 'waiting');
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION end_replaced(p_namespace text, p_key text, p_by uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan = off
AS $$
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
    WHERE w.namespace = p_namespace AND w.key = p_key AND w.phase = 'waiting' AND w.overlap = 'replace'
      AND w.attempt = 0 AND w.id <> p_by
    UNION ALL
    SELECT h.id, h.scheduled_for, h.state, h.dispatch, h.attempt, true FROM key_slot s
    JOIN run h ON h.id = ANY (ARRAY[s.run_id]) AND h.scheduled_for = s.run_scheduled_for
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

CREATE OR REPLACE FUNCTION wait_run(p_run uuid, p_scheduled_for timestamp with time zone, p_state text, p_dispatch integer, p_attempt integer, p_job_dispatch integer, p_max_waiting integer, p_max_wait_ms bigint, p_cancel_channel text)
 RETURNS TABLE(result text, holder uuid, reason text)
 LANGUAGE plpgsql
 SET enable_seqscan = off
 SET enable_hashjoin = off
 SET enable_mergejoin = off
AS $$
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
          AND w.phase = 'waiting' AND w.overlap = 'replace'
    ) i ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for
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
      WHERE r.namespace = v_run.namespace AND r.key = v_run.key AND r.phase = 'waiting'
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
