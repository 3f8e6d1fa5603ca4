-- Postgres is the only truth. Times are timestamptz(3): a JS Date holds no microseconds.
-- Everything that is compared and set is a counter, never a time.

CREATE TABLE "task" (
  "id"            uuid NOT NULL DEFAULT gen_random_uuid(),
  "namespace"     text NOT NULL DEFAULT 'default',
  "name"          text NOT NULL,
  "version"       integer NOT NULL DEFAULT 1,
  "definition"    jsonb NOT NULL,
  -- What the planner reads of the definition, kept apart so that it need not unpack the rest.
  "schedule"      jsonb NOT NULL,
  "key_template"  text NOT NULL,
  "key_limit"     integer NOT NULL,
  "overlap"       text NOT NULL,
  "pool"          text NOT NULL,
  -- Who manages the task: `code`, `crontab:<name>`, `cli`. Importers touch only their own.
  "source"        text NOT NULL,
  "plan_epoch"    integer NOT NULL DEFAULT 1,
  "plan_seq"      integer NOT NULL DEFAULT 0,
  "effective_at"  timestamptz(3) NOT NULL,
  "next_run_at"   timestamptz(3),
  "plan_after"    timestamptz(3),
  "plan_error"    text,
  "plan_failures" integer NOT NULL DEFAULT 0,
  "created_at"    timestamptz(3) NOT NULL DEFAULT now(),
  "updated_at"    timestamptz(3) NOT NULL DEFAULT now(),
  "deleted_at"    timestamptz(3),
  CONSTRAINT "task_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "task_overlap_known" CHECK ("overlap" IN ('skip', 'allow')),
  CONSTRAINT "task_limit_positive" CHECK ("key_limit" >= 1),
  CONSTRAINT "task_deleted_is_not_due" CHECK ("deleted_at" IS NULL OR "next_run_at" IS NULL)
) WITH (fillfactor = 80);

CREATE UNIQUE INDEX "task_namespace_name_key" ON "task" ("namespace", "name");
-- What the planner asks for: due, and not backing off after an error.
CREATE INDEX "task_due" ON "task" ("namespace", GREATEST("next_run_at", "plan_after")) WHERE "next_run_at" IS NOT NULL;
CREATE INDEX "task_key" ON "task" ("namespace", "key_template") WHERE "deleted_at" IS NULL;

CREATE TABLE "task_version" (
  "task_id"    uuid NOT NULL,
  "version"    integer NOT NULL,
  "definition" jsonb NOT NULL,
  "source"     text NOT NULL,
  "created_by" text NOT NULL,
  "note"       text,
  "created_at" timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "task_version_pkey" PRIMARY KEY ("task_id", "version"),
  CONSTRAINT "task_version_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task" ("id") ON DELETE CASCADE
);

CREATE TABLE "task_pause" (
  "id"         uuid NOT NULL DEFAULT gen_random_uuid(),
  "task_id"    uuid NOT NULL,
  "from_at"    timestamptz(3) NOT NULL,
  "until_at"   timestamptz(3),
  "note"       text,
  "created_by" text NOT NULL,
  "created_at" timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "task_pause_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "task_pause_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task" ("id") ON DELETE CASCADE,
  CONSTRAINT "task_pause_ends_after_start" CHECK ("until_at" IS NULL OR "until_at" >= "from_at")
);

CREATE INDEX "task_pause_task_id_idx" ON "task_pause" ("task_id");

-- The ledger: a row per occurrence, trigger, chained run.
CREATE TABLE "run" (
  "id"                  uuid NOT NULL,
  "scheduled_for"       timestamptz(3) NOT NULL,
  "namespace"           text NOT NULL,
  "task_id"             uuid NOT NULL,
  "task_version"        integer NOT NULL,
  "plan_epoch"          integer NOT NULL,
  "origin"              text NOT NULL,
  "state"               text NOT NULL,
  "reason"              text,
  "key"                 text NOT NULL,
  "key_limit"           integer NOT NULL,
  "overlap"             text NOT NULL,
  "pool"                text NOT NULL,
  -- When it may start: scheduled_for plus jitter, or the time of the next attempt.
  "due_at"              timestamptz(3) NOT NULL,
  "dispatch"            integer NOT NULL DEFAULT 0,
  "attempt"             integer NOT NULL DEFAULT 0,
  -- Attempts that took their worker down; and all that do not count against the retry policy.
  "lost"                integer NOT NULL DEFAULT 0,
  "spared"              integer NOT NULL DEFAULT 0,
  "slot"                integer,
  "fence"               bigint,
  "worker"              text,
  "begin_id"            uuid,
  "finish_id"           uuid,
  "started_at"          timestamptz(3),
  "finished_at"         timestamptz(3),
  "payload"             jsonb,
  "output"              jsonb,
  "error"               jsonb,
  "exit_code"           integer,
  "blocked_by"          uuid,
  "cause_run_id"        uuid,
  "ordinal"             integer,
  "rerun_of"            uuid,
  "requested_by"        text,
  "cancel_requested_at" timestamptz(3),
  -- A stretch of missed or paused occurrences is one row: from scheduled_for to until_at, so many.
  "until_at"            timestamptz(3),
  "occurrences"         integer NOT NULL DEFAULT 1,
  "created_at"          timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "run_pkey" PRIMARY KEY ("id", "scheduled_for"),
  CONSTRAINT "run_state_known" CHECK ("state" IN ('planned', 'queued', 'waiting', 'running', 'retrying', 'held', 'unknown',
    'succeeded', 'failed', 'timed_out', 'cancelled', 'quarantined', 'skipped', 'missed', 'superseded')),
  CONSTRAINT "run_origin_known" CHECK ("origin" IN ('schedule', 'catch_up', 'backfill', 'trigger', 'rerun', 'chain', 'lifecycle')),
  CONSTRAINT "run_overlap_known" CHECK ("overlap" IN ('skip', 'allow')),
  CONSTRAINT "run_running_has_holder" CHECK ("state" <> 'running'
    OR ("worker" IS NOT NULL AND "started_at" IS NOT NULL AND "fence" IS NOT NULL AND "attempt" >= 1)),
  CONSTRAINT "run_end_has_time" CHECK (("finished_at" IS NOT NULL) = ("state" IN ('succeeded', 'failed', 'timed_out',
    'cancelled', 'quarantined', 'skipped', 'missed', 'superseded'))),
  CONSTRAINT "run_end_has_reason" CHECK ("reason" IS NOT NULL OR "state" NOT IN ('failed', 'timed_out', 'cancelled',
    'quarantined', 'skipped', 'missed', 'superseded', 'unknown')),
  CONSTRAINT "run_stretch_is_never_run" CHECK (("until_at" IS NULL AND "occurrences" = 1)
    OR ("until_at" >= "scheduled_for" AND "occurrences" >= 1 AND "state" IN ('skipped', 'missed')))
) PARTITION BY RANGE ("scheduled_for");

-- I1: at most one occurrence row per (task, instant), superseded ones apart.
CREATE UNIQUE INDEX "run_occurrence_key" ON "run" ("task_id", "scheduled_for")
  WHERE "origin" IN ('schedule', 'catch_up', 'backfill') AND "state" <> 'superseded';
CREATE INDEX "run_task" ON "run" ("task_id", "scheduled_for" DESC);
-- The dispatcher: what is to go into the queue.
CREATE INDEX "run_dispatchable" ON "run" ("namespace", "due_at") WHERE "state" IN ('planned', 'retrying');
-- The reconciler: what the queue should hold, who holds what, what nobody ends.
CREATE INDEX "run_queued" ON "run" ("namespace", "due_at", "id") WHERE "state" = 'queued';
CREATE INDEX "run_running" ON "run" ("worker") WHERE "state" = 'running';
CREATE INDEX "run_failed" ON "run" ("finished_at") WHERE "state" IN ('failed', 'timed_out', 'quarantined', 'unknown');
CREATE UNIQUE INDEX "run_chain_key" ON "run" ("cause_run_id", "ordinal", "scheduled_for") WHERE "cause_run_id" IS NOT NULL;

CREATE TABLE "run_default" PARTITION OF "run" DEFAULT;

-- I4: a terminal row never changes.
CREATE FUNCTION "refuse_terminal_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'run % ended as % and cannot change', OLD.id, OLD.state
    USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'run_terminal_is_final';
END $$;

CREATE TRIGGER "run_terminal_is_final" BEFORE UPDATE ON "run" FOR EACH ROW
  WHEN (OLD."state" IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'quarantined', 'skipped', 'missed', 'superseded'))
  EXECUTE FUNCTION "refuse_terminal_change"();

-- Written only when an attempt ends and another follows; the current attempt lives on the run.
CREATE TABLE "attempt" (
  "run_id"        uuid NOT NULL,
  "scheduled_for" timestamptz(3) NOT NULL,
  "attempt"       integer NOT NULL,
  "outcome"       text NOT NULL,
  "reason"        text,
  "worker"        text,
  "fence"         bigint,
  "started_at"    timestamptz(3),
  "finished_at"   timestamptz(3) NOT NULL DEFAULT now(),
  "error"         jsonb,
  "exit_code"     integer,
  CONSTRAINT "attempt_pkey" PRIMARY KEY ("run_id", "attempt", "scheduled_for"),
  CONSTRAINT "attempt_outcome_known" CHECK ("outcome" IN ('failed', 'timed_out', 'lost', 'interrupted'))
) PARTITION BY RANGE ("scheduled_for");

CREATE TABLE "attempt_default" PARTITION OF "attempt" DEFAULT;

-- A run's output in pieces of up to 64 KiB; by day of writing.
CREATE TABLE "run_log_chunk" (
  "run_id"     uuid NOT NULL,
  "attempt"    integer NOT NULL,
  "seq"        integer NOT NULL,
  "written_at" timestamptz(3) NOT NULL DEFAULT now(),
  "text"       text NOT NULL,
  CONSTRAINT "run_log_chunk_pkey" PRIMARY KEY ("run_id", "attempt", "seq", "written_at")
) PARTITION BY RANGE ("written_at");

CREATE TABLE "run_log_chunk_default" PARTITION OF "run_log_chunk" DEFAULT;

-- Who may run under a key. The fence grows with each start on a slot; a result with an old fence is refused (I3).
CREATE TABLE "key_slot" (
  "namespace"         text NOT NULL,
  "key"               text NOT NULL,
  "slot"              integer NOT NULL,
  "fence"             bigint NOT NULL DEFAULT 0,
  "run_id"            uuid,
  "run_scheduled_for" timestamptz(3),
  "worker"            text,
  "since"             timestamptz(3),
  CONSTRAINT "key_slot_pkey" PRIMARY KEY ("namespace", "key", "slot"),
  CONSTRAINT "key_slot_run_has_time" CHECK (("run_id" IS NULL) = ("run_scheduled_for" IS NULL))
) WITH (fillfactor = 50);

-- Schedulers and workers, with the runs each says it holds.
CREATE TABLE "process" (
  "id"              text NOT NULL,
  "namespace"       text NOT NULL DEFAULT 'default',
  "role"            text NOT NULL,
  "host"            text NOT NULL,
  "pid"             integer NOT NULL,
  "app_version"     text NOT NULL,
  "pools"           text[] NOT NULL DEFAULT '{}',
  "started_at"      timestamptz(3) NOT NULL DEFAULT now(),
  "beat_at"         timestamptz(3) NOT NULL DEFAULT now(),
  "prev_beat_at"    timestamptz(3),
  "held"            uuid[] NOT NULL DEFAULT '{}',
  "prev_held"       uuid[] NOT NULL DEFAULT '{}',
  "clock_offset_ms" integer,
  "planned_at"      timestamptz(3),
  "stopped_at"      timestamptz(3),
  CONSTRAINT "process_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "process_role_known" CHECK ("role" IN ('scheduler', 'worker'))
) WITH (fillfactor = 50);

CREATE INDEX "process_beat" ON "process" ("namespace", "role", "beat_at");

-- A timer shared by replicas: whoever moves passed_at first does the pass.
CREATE TABLE "gate" (
  "namespace" text NOT NULL,
  "name"      text NOT NULL,
  "passed_at" timestamptz(3) NOT NULL,
  CONSTRAINT "gate_pkey" PRIMARY KEY ("namespace", "name")
);

-- Notices of final failures, sent by a scheduler after the write that ended the run.
CREATE TABLE "notice" (
  "id"            bigint GENERATED ALWAYS AS IDENTITY,
  "namespace"     text NOT NULL,
  "run_id"        uuid NOT NULL,
  "scheduled_for" timestamptz(3) NOT NULL,
  "state"         text NOT NULL DEFAULT 'pending',
  "tries"         integer NOT NULL DEFAULT 0,
  "try_at"        timestamptz(3) NOT NULL DEFAULT now(),
  "error"         text,
  "delivered"     text[] NOT NULL DEFAULT '{}',
  "created_at"    timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "notice_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "notice_state_known" CHECK ("state" IN ('pending', 'sent', 'dropped'))
);

CREATE INDEX "notice_pending" ON "notice" ("try_at") WHERE "state" = 'pending';

-- Ends, or sends to its next attempt, each named run that is still as the caller saw it. The only way a run
-- becomes terminal. Answers 'applied', 'repeated' (this very call was already carried out) or 'stale'.
-- p_from_end: whether the task's schedule counts from the end of its runs; null: look.
-- A fence that is not null must still be the slot's own: a frozen holder cannot commit after its successor.
CREATE FUNCTION "settle_runs"(
  p_run uuid[], p_scheduled_for timestamptz[], p_from_state text[], p_dispatch integer[], p_attempt integer[],
  p_fence bigint[], p_settle_id uuid[], p_to_state text[], p_reason text[], p_retry_at timestamptz[],
  p_attempt_outcome text[], p_lost boolean[], p_spared boolean[], p_error jsonb[], p_output jsonb[], p_exit_code integer[], p_blocked_by uuid[],
  p_from_end boolean[]
) RETURNS TABLE ("ordinality" bigint, "result" text) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  WITH input AS MATERIALIZED (
    SELECT * FROM unnest(p_run, p_scheduled_for, p_from_state, p_dispatch, p_attempt, p_fence, p_settle_id, p_to_state,
      p_reason, p_retry_at, p_attempt_outcome, p_lost, p_spared, p_error, p_output, p_exit_code, p_blocked_by, p_from_end)
      WITH ORDINALITY AS i(run_id, scheduled_for, from_state, dispatch, attempt, fence, settle_id, to_state,
        reason, retry_at, attempt_outcome, lost, spared, error, output, exit_code, blocked_by,
        from_end, ord)
  ), picked AS MATERIALIZED (
    -- Rows are locked in key order, runs before slots, in every statement: no deadlock.
    SELECT i.*, r.namespace, r.key, r.slot, r.started_at AS began_at, r.worker, r.fence AS run_fence
    FROM input i
    JOIN run r ON r.id = i.run_id AND r.scheduled_for = i.scheduled_for
    WHERE r.state = i.from_state AND r.dispatch = i.dispatch AND r.attempt = i.attempt
      AND (i.fence IS NULL OR r.fence = i.fence)
    ORDER BY r.namespace, r.key, r.id
    FOR UPDATE OF r
  ), held AS MATERIALIZED (
    SELECT s.namespace, s.key, s.slot, p.run_id, p.to_state
    FROM picked p
    JOIN key_slot s ON s.namespace = p.namespace AND s.key = p.key AND s.slot = p.slot
    WHERE s.run_id = p.run_id AND (p.fence IS NULL OR s.fence = p.fence)
    ORDER BY s.namespace, s.key, s.slot
    FOR UPDATE OF s
  ), allowed AS MATERIALIZED (
    SELECT p.* FROM picked p
    LEFT JOIN held h ON h.run_id = p.run_id
    WHERE p.fence IS NULL OR p.slot IS NULL OR h.run_id IS NOT NULL
  ), freed AS (
    UPDATE key_slot s SET run_id = NULL, run_scheduled_for = NULL, worker = NULL, since = NULL
    FROM held h
    WHERE s.namespace = h.namespace AND s.key = h.key AND s.slot = h.slot AND h.to_state <> 'retrying'
  ), settled AS (
    UPDATE run r SET
      state = p.to_state, reason = p.reason, finish_id = p.settle_id,
      finished_at = CASE WHEN p.to_state IN ('retrying', 'unknown', 'waiting') THEN NULL ELSE now() END,
      due_at = coalesce(p.retry_at, r.due_at), lost = r.lost + p.lost::integer, spared = r.spared + p.spared::integer,
      error = p.error, output = p.output, exit_code = p.exit_code, blocked_by = coalesce(p.blocked_by, r.blocked_by)
    FROM allowed p
    WHERE r.id = p.run_id AND r.scheduled_for = p.scheduled_for
    RETURNING r.id, r.namespace, r.scheduled_for, r.state, r.task_id, r.origin, p.from_end, p.ord
  ), recorded AS (
    INSERT INTO attempt (run_id, scheduled_for, attempt, outcome, reason, worker, fence, started_at, error, exit_code)
    SELECT p.run_id, p.scheduled_for, p.attempt, p.attempt_outcome, p.reason, p.worker, p.run_fence, p.began_at, p.error, p.exit_code
    FROM allowed p WHERE p.to_state = 'retrying'
    ON CONFLICT DO NOTHING
  ), noticed AS (
    INSERT INTO notice (namespace, run_id, scheduled_for)
    SELECT s.namespace, s.id, s.scheduled_for FROM settled s WHERE s.state IN ('failed', 'timed_out', 'quarantined')
  ), counted_from_end AS (
    UPDATE task t SET next_run_at = now() + make_interval(secs => (t.schedule->>'delayMs')::bigint / 1000.0),
      plan_seq = t.plan_seq + 1
    FROM settled s
    WHERE s.from_end IS NOT FALSE AND t.id = s.task_id AND t.schedule->>'kind' = 'fixed-delay' AND t.deleted_at IS NULL AND t.next_run_at IS NULL
      AND s.origin IN ('schedule', 'catch_up') AND s.state NOT IN ('retrying', 'superseded', 'unknown')
  )
  SELECT i.ord, CASE WHEN s.id IS NOT NULL THEN 'applied'
    WHEN EXISTS (SELECT FROM run r WHERE r.id = i.run_id AND r.scheduled_for = i.scheduled_for AND r.finish_id = i.settle_id)
      THEN 'repeated'
    ELSE 'stale' END
  FROM input i LEFT JOIN settled s ON s.ord = i.ord
  ORDER BY i.ord;
END $$;

-- Makes the partition of a range, taking along what lies in the default partition. Idempotent.
CREATE FUNCTION "ensure_partition"(p_parent text, p_column text, p_name text, p_from timestamptz, p_to timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass(quote_ident(p_name)) IS NOT NULL THEN
    RETURN false;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('escapement partition ' || p_parent));
  IF to_regclass(quote_ident(p_name)) IS NOT NULL THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', p_name, p_parent);
  EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
    p_parent || '_default', p_column, p_from, p_column, p_to, p_name);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', p_parent, p_name, p_from, p_to);
  RETURN true;
END $$;

-- Drops the partitions of a table in which nothing is younger than the longest retention of any task (30 days
-- where none is longer). Open runs and the last run of each task move to the default partition first.
CREATE FUNCTION "drop_old_partitions"(p_parent text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  v_keep integer;
  v_part record;
BEGIN
  SELECT greatest(30, coalesce(max((definition->>'retentionDays')::integer), 0)) INTO v_keep FROM task;
  FOR v_part IN
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = quote_ident(p_parent)::regclass
      AND c.relname ~ ('^' || p_parent || '_p[0-9]{8}$')
      AND to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - v_keep - 7
    ORDER BY 1
  LOOP
    EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', p_parent, v_part.name);
    IF p_parent = 'run' THEN
      EXECUTE format('INSERT INTO run SELECT r.* FROM %I r WHERE r.finished_at IS NULL OR r.attempt > 0 AND NOT EXISTS
        (SELECT FROM run l WHERE l.task_id = r.task_id AND l.attempt > 0 AND l.scheduled_for > r.scheduled_for)
        AND NOT EXISTS (SELECT FROM %I l WHERE l.task_id = r.task_id AND l.attempt > 0 AND l.scheduled_for > r.scheduled_for)',
        v_part.name, v_part.name);
    END IF;
    EXECUTE format('DROP TABLE %I', v_part.name);
    RETURN NEXT v_part.name;
  END LOOP;
END $$;
