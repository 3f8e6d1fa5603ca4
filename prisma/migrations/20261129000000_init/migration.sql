-- Replaces 20261128140000_identities, and all before it: a database that has it has these tables.
--
-- The tables, each followed by its indexes and triggers. Functions, those of the triggers too, are in prisma/functions.
--
-- Postgres is the only truth. Times are timestamptz(3): a JS Date holds no microseconds.
-- Everything that is compared and set is a counter, never a time.
-- fillfactor < 100: rows that are often changed keep room on their page, so that the change stays there.

------------------------------------------------------------------------------------------------------------------------
-- Tasks

-- A definition: what, when, under which rules.
CREATE TABLE "task" (
  "id"                uuid NOT NULL DEFAULT gen_random_uuid(),
  "namespace"         text NOT NULL DEFAULT 'default',
  "name"              text NOT NULL,
  "version"           integer NOT NULL DEFAULT 1,
  "definition"        jsonb NOT NULL,
  -- What the planner reads of the definition, kept apart so that it need not unpack the rest.
  "schedule"          jsonb NOT NULL,
  "key_template"      text NOT NULL,
  "key_limit"         integer NOT NULL,
  "overlap"           text NOT NULL,
  "pool"              text NOT NULL,
  -- What its runs ask of their worker beside the pool, see need_of(); null: nothing. Pool and need are the queue.
  "need"              text,
  -- Who manages the task: `code`, `crontab:<name>`, `cli`. Importers touch only their own.
  "source"            text NOT NULL,
  "plan_epoch"        integer NOT NULL DEFAULT 1,
  "effective_at"      timestamptz(3) NOT NULL,
  "created_at"        timestamptz(3) NOT NULL DEFAULT now(),
  "updated_at"        timestamptz(3) NOT NULL DEFAULT now(),
  "deleted_at"        timestamptz(3),
  -- How late a run may start for the first time.
  "start_deadline_ms" bigint GENERATED ALWAYS AS (("definition"->>'startDeadlineMs')::bigint) STORED,
  -- What the planner reads of the definition besides the schedule: misfire threshold, catch-up, calendars.
  "rules"             jsonb NOT NULL DEFAULT '{}',
  -- For a task in code: the deployment that its definition comes from; null: none that still exists. No foreign key:
  -- deployments that were not seen for a year are deleted.
  "deployment_id"     bigint,
  -- How urgent its runs are among those that wait for a worker; null: the task does not say.
  "priority"          smallint GENERATED ALWAYS AS (("definition"->>'priority')::smallint) STORED,
  -- Whether anything follows its runs.
  "follows"           boolean NOT NULL GENERATED ALWAYS AS ("definition" ?| ARRAY['then', 'onStart', 'onLate', 'onMisfire',
    'onSuccess', 'onFailure', 'onSkip', 'onFinish']) STORED,
  -- Its rate: so many starts within so long, counted under a name that may be a template. Null: it has none.
  "rate_key"          text GENERATED ALWAYS AS (CASE WHEN "definition" ? 'rate' THEN coalesce("definition"#>>'{rate,key}', "name") END) STORED,
  "rate_limit"        integer GENERATED ALWAYS AS (("definition"#>>'{rate,limit}')::integer) STORED,
  "rate_per_ms"       bigint GENERATED ALWAYS AS (("definition"#>>'{rate,perMs}')::bigint) STORED,
  -- What it was called before. Runs that are under way, other tasks and programs may still name it so.
  "former_names"      text[] NOT NULL DEFAULT '{}',
  -- A deletion is final for the runs that are there: to save the name again brings the task back, and none of them.
  "since_epoch"       integer NOT NULL DEFAULT 0,
  "ends_runs"         boolean NOT NULL DEFAULT false,
  CONSTRAINT "task_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "task_overlap_known" CHECK ("overlap" IN ('skip', 'wait-one', 'wait-all', 'replace', 'allow')),
  CONSTRAINT "task_limit_positive" CHECK ("key_limit" >= 1)
) WITH (fillfactor = 80);

CREATE UNIQUE INDEX "task_namespace_name_key" ON "task" ("namespace", "name");
-- Those that were renamed, which are few: looked through for a name that no task has.
CREATE INDEX "task_former_names" ON "task" ("namespace") WHERE "former_names" <> '{}';
-- The pools with tasks that run on every worker: only these have queues of single workers.
CREATE INDEX "task_spread" ON "task" ("namespace", "pool") WHERE "rules" ? 'spread';
-- Tasks that share a key.
CREATE INDEX "task_key" ON "task" ("namespace", "key_template") WHERE "deleted_at" IS NULL;
-- Tasks that count their starts together.
CREATE INDEX "task_rate" ON "task" ("namespace", "rate_key") WHERE "rate_key" IS NOT NULL AND "deleted_at" IS NULL;
-- Steady intervals, by length: those that are short enough use repeatable jobs.
CREATE INDEX "task_interval" ON "task" ("namespace", (("schedule"->>'everyMs')::bigint), "id")
  WHERE "schedule"->>'kind' = 'every' AND "deleted_at" IS NULL;
-- Pools in which priorities count. Jobs of all other pools have none.
CREATE INDEX "task_priority" ON "task" ("namespace", "pool") WHERE "priority" IS NOT NULL AND "deleted_at" IS NULL;
-- The longest retention of any task says which partitions may go. Reading a million definitions for it took over a second, several times an hour.
CREATE INDEX "task_retention" ON "task" ((("definition"->>'retentionDays')::integer));
-- How many tasks each pool has, by what they need of a worker: counted from the index alone, whatever a definition is long.
CREATE INDEX "task_pool" ON "task" ("namespace", "pool", "need") WHERE "deleted_at" IS NULL;
-- Schedulers look for such tasks each second.
CREATE INDEX "task_ends_runs" ON "task" ("namespace") WHERE "ends_runs";

-- On all columns that say what a task is. Planning and ends of runs write the others alone, and pay nothing.
CREATE TRIGGER "task_is_guarded" BEFORE INSERT OR UPDATE OF "id", "namespace", "name", "definition", "schedule", "key_template",
  "key_limit", "overlap", "pool", "source", "created_at", "deleted_at", "rules" ON "task" FOR EACH ROW
  EXECUTE FUNCTION "guard_task"();

-- How far each task is planned, in a row of its own beside the task. Planning writes this one alone: it is short, so that seventy of them
-- share a page, and has two indexes, where a task has nine and its whole definition.
CREATE TABLE "task_plan" (
  "task_id"       uuid NOT NULL,
  "namespace"     text NOT NULL,
  -- Planners compare and set it, and so do all who change the task: who holds the row lock has the say.
  "plan_seq"      integer NOT NULL DEFAULT 0,
  "next_run_at"   timestamptz(3),
  "plan_after"    timestamptz(3),
  -- When the planner is to look at it: it is due, and does not back off after an error.
  "plan_at"       timestamptz(3) GENERATED ALWAYS AS (GREATEST("next_run_at", "plan_after")) STORED,
  "plan_error"    text,
  "plan_failures" integer NOT NULL DEFAULT 0,
  -- How many of its occurrences were planned as runs, for schedules with maxRuns.
  "planned_runs"  integer NOT NULL DEFAULT 0,
  CONSTRAINT "task_plan_pkey" PRIMARY KEY ("task_id"),
  CONSTRAINT "task_plan_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task" ("id") ON DELETE CASCADE ON UPDATE NO ACTION
) WITH (fillfactor = 80);

-- What the planner asks for: due, and not backing off after an error.
CREATE INDEX "task_plan_due" ON "task_plan" ("namespace", "plan_at") WHERE "next_run_at" IS NOT NULL;
-- Those that cannot be planned: they are counted every few seconds.
CREATE INDEX "task_plan_failing" ON "task_plan" ("namespace") WHERE "plan_error" IS NOT NULL;
-- Tasks that never fire are looked for among those that have no occurrence ahead, not among all.
CREATE INDEX "task_plan_without_next" ON "task_plan" ("namespace", "task_id") WHERE "next_run_at" IS NULL;

-- The labels of tasks, a row each, so that lists by labels, and those of somebody who may see some tasks only, need not read every
-- definition. Written with the definition (a trigger). An index on the definition would be written each time a task is planned.
-- See docs/decisions/0084.
CREATE TABLE "task_label" (
  "task_id"   uuid NOT NULL,
  "namespace" text NOT NULL,
  "key"       text NOT NULL,
  "value"     text NOT NULL,
  CONSTRAINT "task_label_pkey" PRIMARY KEY ("task_id", "key"),
  CONSTRAINT "task_label_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task" ("id") ON DELETE CASCADE ON UPDATE NO ACTION
);

CREATE INDEX "task_label_value" ON "task_label" ("namespace", "key", "value", "task_id");

CREATE TRIGGER "task_is_labelled" AFTER INSERT ON "task" FOR EACH ROW
  WHEN (NEW."definition" ? 'labels') EXECUTE FUNCTION "note_labels"();
CREATE TRIGGER "task_is_relabelled" AFTER UPDATE OF "definition" ON "task" FOR EACH ROW
  WHEN (NEW."definition"->'labels' IS DISTINCT FROM OLD."definition"->'labels') EXECUTE FUNCTION "note_labels"();

-- The queues that runs of tasks go to, or went to, a row each: schedulers ask for them every two seconds, and reading all tasks for it
-- took a quarter of a core with a million of them. Written with the task (a trigger), and never taken away: the last run of a task that
-- has moved may still be in the queue.
CREATE TABLE "task_queue" (
  "namespace" text NOT NULL,
  "queue"     text NOT NULL,
  CONSTRAINT "task_queue_pkey" PRIMARY KEY ("namespace", "queue")
);

CREATE TRIGGER "task_has_a_queue" AFTER INSERT ON "task" FOR EACH ROW EXECUTE FUNCTION "note_queue"();
CREATE TRIGGER "task_has_moved" AFTER UPDATE OF "pool", "need" ON "task" FOR EACH ROW
  WHEN ((NEW."pool", NEW."need") IS DISTINCT FROM (OLD."pool", OLD."need")) EXECUTE FUNCTION "note_queue"();

-- Every definition that a task has had.
CREATE TABLE "task_version" (
  "task_id"      uuid NOT NULL,
  "version"      integer NOT NULL,
  "definition"   jsonb NOT NULL,
  "source"       text NOT NULL,
  "created_by"   text NOT NULL,
  -- The principal of that name: runs start other tasks by its rights.
  "saver_kind"   text NOT NULL,
  "saver_id"     text NOT NULL,
  -- A person has edited the task, which may come from a file or code: not what that says.
  "edited"       boolean NOT NULL DEFAULT false,
  "note"         text,
  "created_at"   timestamptz(3) NOT NULL DEFAULT now(),
  -- When the version decided what was due. The ledger verifier recomputes from it what should have happened.
  "effective_at" timestamptz(3) NOT NULL DEFAULT now(),
  "ended_at"     timestamptz(3),
  -- Whether anything follows its runs.
  "follows"      boolean NOT NULL GENERATED ALWAYS AS ("definition" ?| ARRAY['then', 'onStart',
    'onSuccess', 'onFailure', 'onFinish', 'onSkip', 'onMisfire', 'onLate']) STORED,
  CONSTRAINT "task_version_pkey" PRIMARY KEY ("task_id", "version"),
  CONSTRAINT "task_version_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task" ("id") ON DELETE CASCADE,
  CONSTRAINT "task_version_saver" CHECK ("saver_kind" IN ('user', 'token', 'process', 'cli')),
  CONSTRAINT "task_version_ends_after_start" CHECK ("ended_at" >= "effective_at")
);

CREATE TRIGGER "task_version_is_guarded" BEFORE INSERT ON "task_version" FOR EACH ROW
  EXECUTE FUNCTION "guard_task_version"();

-- Definitions that count from a later instant on, one a task. A scheduler saves each as a version when it is due.
CREATE TABLE "task_change" (
  "namespace"    text NOT NULL,
  "name"         text NOT NULL,
  -- Distinguishes two changes of a task: the scheduler that carried one out deletes only that one.
  "id"           uuid NOT NULL DEFAULT gen_random_uuid(),
  "definition"   jsonb NOT NULL,
  "source"       text NOT NULL,
  -- The principal.
  "created_by"   jsonb NOT NULL,
  "note"         text,
  "effective_at" timestamptz(3) NOT NULL,
  -- Why it could not be carried out; it is not tried again.
  "error"        text,
  "created_at"   timestamptz(3) NOT NULL DEFAULT now(),
  -- The version that it was given for: what others change meanwhile is not taken back.
  "based_on"     integer,
  CONSTRAINT "task_change_pkey" PRIMARY KEY ("namespace", "name")
);

-- Times in which no occurrence of any task starts. One may be in force at a time; those that have ended are kept for the audit.
CREATE TABLE "fleet_freeze" (
  "id"         uuid NOT NULL DEFAULT gen_random_uuid(),
  "namespace"  text NOT NULL,
  "from_at"    timestamptz(3) NOT NULL,
  -- Null: until somebody ends it.
  "until_at"   timestamptz(3),
  "note"       text NOT NULL,
  "created_by" text NOT NULL,
  CONSTRAINT "fleet_freeze_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "fleet_freeze_ends_after_start" CHECK ("until_at" IS NULL OR "until_at" >= "from_at")
);
-- What each begin asks.
CREATE INDEX "fleet_freeze_namespace" ON "fleet_freeze" ("namespace", "until_at");

-- Pauses: periods in which occurrences of a task's schedule are skipped.
CREATE TABLE "task_pause" (
  "id"         uuid NOT NULL DEFAULT gen_random_uuid(),
  "task_id"    uuid NOT NULL,
  "from_at"    timestamptz(3) NOT NULL,
  -- Null: until somebody resumes it.
  "until_at"   timestamptz(3),
  "note"       text,
  "created_by" text NOT NULL,
  "created_at" timestamptz(3) NOT NULL DEFAULT now(),
  -- Set if a run of the task decided when the task is due next. The pause lasts until then.
  "run_id"     uuid,
  -- Set if the task was paused because so many occurrences in a row failed. They are counted anew once it is resumed.
  "failures"   integer,
  -- Set if the task asks again and again for a next run in the past. People are told of it.
  "asked_late" boolean NOT NULL DEFAULT false,
  CONSTRAINT "task_pause_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "task_pause_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task" ("id") ON DELETE CASCADE,
  CONSTRAINT "task_pause_ends_after_start" CHECK ("until_at" IS NULL OR "until_at" >= "from_at")
);

CREATE INDEX "task_pause_task_id_idx" ON "task_pause" ("task_id");

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

-- Named sets of times that tasks leave out, with every version; the one that has not ended is in force.
CREATE TABLE "calendar_version" (
  "namespace"  text NOT NULL,
  "name"       text NOT NULL,
  "version"    integer NOT NULL,
  "definition" jsonb NOT NULL,
  "created_by" text NOT NULL,
  "created_at" timestamptz(3) NOT NULL DEFAULT now(),
  "ended_at"   timestamptz(3),
  CONSTRAINT "calendar_version_pkey" PRIMARY KEY ("namespace", "name", "version"),
  CONSTRAINT "calendar_version_ends_after_start" CHECK ("ended_at" >= "created_at")
);

CREATE UNIQUE INDEX "calendar_in_force" ON "calendar_version" ("namespace", "name") WHERE "ended_at" IS NULL;

-- What was known of the time zones by which tasks were planned, with every change of it; the one that has not ended is in force.
CREATE TABLE "zone_version" (
  "namespace"  text NOT NULL,
  -- As tasks and calendars name it.
  "name"       text NOT NULL,
  "version"    integer NOT NULL,
  -- { offset, changes: [[instant, offset], ...] }, in seconds.
  "rules"      jsonb NOT NULL,
  -- The newest release of the time zone data that says so, as in 2026a.
  "tz_version" text NOT NULL,
  "created_at" timestamptz(3) NOT NULL DEFAULT now(),
  "ended_at"   timestamptz(3),
  CONSTRAINT "zone_version_pkey" PRIMARY KEY ("namespace", "name", "version"),
  CONSTRAINT "zone_version_ends_after_start" CHECK ("ended_at" >= "created_at")
);

CREATE UNIQUE INDEX "zone_in_force" ON "zone_version" ("namespace", "name") WHERE "ended_at" IS NULL;

-- The tasks in the code of an application, so that several versions of it can be at work at once without undoing each
-- other's definitions, and so that a task which left the code is known as such. A later deployment has a larger id,
-- whatever the clocks of the machines say.
CREATE TABLE "deployment" (
  "id"            bigint GENERATED ALWAYS AS IDENTITY,
  "namespace"     text NOT NULL,
  "app"           text NOT NULL,
  "release"       text,
  -- Of release, whole and tasks. The same code is the same deployment on every worker.
  "fingerprint"   text NOT NULL,
  -- Whether every module could be loaded. Then a task that is not in "tasks" is not in the code.
  "whole"         boolean NOT NULL,
  -- Name of each task, with the fingerprint of its definition.
  "tasks"         jsonb NOT NULL,
  "first_seen_at" timestamptz(3) NOT NULL DEFAULT now(),
  "last_seen_at"  timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "deployment_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "deployment_fingerprint_key" ON "deployment" ("namespace", "app", "fingerprint");

------------------------------------------------------------------------------------------------------------------------
-- Runs

-- The ledger: a row per occurrence, trigger, chained run. Its partitions are weeks, see the end of this file.
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
  -- Of its task when it was made.
  "need"                text,
  -- When it may start: scheduled_for plus jitter, or the time of the next attempt.
  "due_at"              timestamptz(3) NOT NULL,
  "dispatch"            integer NOT NULL DEFAULT 0,
  "attempt"             integer NOT NULL DEFAULT 0,
  -- Attempts that took their worker down; and all that do not count against the retry policy.
  "lost"                integer NOT NULL DEFAULT 0,
  "uncounted"              integer NOT NULL DEFAULT 0,
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
  -- Consecutive missed or paused occurrences are one row: from scheduled_for to until_at, and their number.
  "until_at"            timestamptz(3),
  "occurrences"         integer NOT NULL DEFAULT 1,
  "created_at"          timestamptz(3) NOT NULL DEFAULT now(),
  "cancel_requested_by" text,
  "cancel_reason"       text,
  -- Until when it may start for the first time.
  "start_by"            timestamptz(3),
  -- Since when it has been in the wait queue, and until when it may be there; kept after it has begun.
  "waiting_since"       timestamptz(3),
  "wait_until"          timestamptz(3),
  -- How far a running attempt says it is: attempt, done, total, note, at.
  "progress"            jsonb,
  -- A run that has not begun by then is a misfire: it begins only after the task's catch-up policy has judged it.
  "misfire_at"          timestamptz(3),
  "backfill_id"         uuid,
  "batch_id"            uuid,
  -- Whether it has taken items of work-lists: only the ends of such runs look for items.
  "takes"               boolean NOT NULL DEFAULT false,
  -- How many links of a chain lead to it: no chain goes on for ever.
  "depth"               integer NOT NULL DEFAULT 0,
  -- The span that its trace continues, as W3C Trace Context writes it. Null: its trace begins with it, and has its id.
  "traceparent"         text,
  -- A run is written three times: planned, begun, ended. An index on what the last two change would make Postgres write an
  -- entry into every index of the table, each time. `phase` says what the indexes need to know of a state. It is the same for
  -- `queued` and `running`, so that a begin stays on its page (a heap-only update), and an end touches four. One
  -- column, not one for each index: every statement reads and prepares each anew. See docs/decisions/0023.
  -- live: Redis has its job, or a worker has it. repeating: its repeatable job will bring it to a worker. untold: Redis was not told of it.
  -- Null: it succeeded. Any other state is its own phase: there are so few of these runs that people can look for them by state.
  -- A map and no CASE of ten states: every statement that writes runs reads the expression anew, word by word.
  "phase"               text GENERATED ALWAYS AS (CASE WHEN "state" = 'planned' AND "origin" = 'schedule' THEN 'repeating'
    ELSE nullif(coalesce('{"queued": "live", "running": "live", "planned": "untold", "retrying": "untold"}'::jsonb ->> "state", "state"),
      'succeeded') END) STORED,
  -- The same for all occurrences, its own id for any other row: (task_id, scheduled_for, distinct_by) is unique. An occurrence that is spread
  -- over workers has a row of each: the name of the worker, which stands behind the @ of the need.
  "distinct_by"         uuid NOT NULL GENERATED ALWAYS AS (CASE WHEN "origin" IN ('schedule', 'catch_up', 'backfill')
    AND "state" <> 'superseded' THEN coalesce(md5(nullif(split_part("need", '@', 2), ''))::uuid, '00000000-0000-0000-0000-000000000000'::uuid)
    ELSE "id" END) STORED,
  -- Something may follow it: its task version, its batch or its lists want to hear of its states. True is always safe.
  "watched"             boolean NOT NULL DEFAULT true,
  -- Under what its starts are counted, rendered when the row was made; null: its task had no rate.
  "rate_key"            text,
  -- Whoever triggered the run gave it its key: a re-run keeps that.
  "own_key"             boolean NOT NULL DEFAULT false,
  CONSTRAINT "run_pkey" PRIMARY KEY ("id", "scheduled_for"),
  -- Which columns a state needs. One CHECK instead of five, because every statement reads and prepares each anew.
  CONSTRAINT "run_state_is_whole" CHECK (CASE "state"
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
  CONSTRAINT "run_words_are_known" CHECK (
    "origin" IN ('schedule', 'catch_up', 'backfill', 'trigger', 'rerun', 'chain', 'lifecycle')
    AND "overlap" IN ('skip', 'wait-one', 'wait-all', 'replace', 'allow')),
  CONSTRAINT "run_stretch_is_never_run" CHECK (("until_at" IS NULL AND "occurrences" = 1)
    OR ("until_at" >= "scheduled_for" AND "occurrences" >= 1 AND "state" IN ('skipped', 'missed')))
) PARTITION BY RANGE ("scheduled_for");

-- I1: at most one occurrence of a task at an instant, superseded ones apart; and a task's runs in order: one index for both.
-- Every row is in it. The condition keeps it out of the plans of statements that name runs by id and scheduled_for: of an
-- empty partition Postgres cannot tell which of two indexes is the right one, and scanning this one for an instant would
-- stay in the cached plan.
CREATE UNIQUE INDEX "run_occurrence_key" ON "run" ("task_id", "scheduled_for", "distinct_by") WHERE "task_id" IS NOT NULL;
-- A link of a chain is made once.
CREATE UNIQUE INDEX "run_chain_key" ON "run" ("cause_run_id", "ordinal", "scheduled_for") WHERE "cause_run_id" IS NOT NULL;
-- For the reconciler: which runs should have a job, and which worker runs which.
CREATE INDEX "run_live" ON "run" ("namespace", "due_at", "id") WHERE "phase" = 'live';
-- For the dispatcher: runs that need a job.
CREATE INDEX "run_untold" ON "run" ("namespace", "due_at") WHERE "phase" = 'untold';
-- Rows that wait for their repeats are many: the dispatcher looks for the others by an index without them.
CREATE INDEX "run_repeating" ON "run" ("namespace", "due_at") WHERE "phase" = 'repeating';
-- The wait queue of a key; Redis knows nothing of it.
CREATE INDEX "run_waiting" ON "run" ("namespace", "key", "scheduled_for", "id") WHERE "phase" = 'waiting';
CREATE INDEX "run_wait_until" ON "run" ("namespace", "wait_until") WHERE "phase" = 'waiting' AND "wait_until" IS NOT NULL;
-- Running runs are in the next three as well: they are few.
-- The order of runs under policies that ask for one. Runs of other policies are not in it and cost nothing.
CREATE INDEX "run_ordered" ON "run" ("namespace", "key", "scheduled_for", "id")
  WHERE "overlap" IN ('wait-all', 'replace') AND "phase" IN ('live', 'untold', 'repeating', 'waiting');
-- The reconciler: runs that did not start in time.
CREATE INDEX "run_start_by" ON "run" ("namespace", "start_by")
  WHERE "start_by" IS NOT NULL AND "phase" IN ('live', 'untold', 'repeating', 'waiting');
-- For the reconciler: runs to be cancelled that no worker runs.
CREATE INDEX "run_cancel_requested" ON "run" ("namespace")
  WHERE "cancel_requested_at" IS NOT NULL AND "phase" IN ('live', 'untold', 'repeating', 'waiting', 'held');
-- For people: runs by state, of all tasks and of one; and runs by key. Those that succeed are in the last one alone, once they have ended.
CREATE INDEX "run_phase" ON "run" ("namespace", "phase", "scheduled_for", "id")
  WHERE "phase" IN ('held', 'failed', 'timed_out', 'quarantined', 'unknown', 'cancelled', 'skipped', 'missed', 'superseded');
CREATE INDEX "run_task_phase" ON "run" ("task_id", "phase", "scheduled_for", "id")
  WHERE "phase" IN ('held', 'failed', 'timed_out', 'quarantined', 'unknown', 'cancelled', 'skipped', 'missed', 'superseded');
CREATE INDEX "run_key_ended" ON "run" ("namespace", "key", "scheduled_for", "id") WHERE "finished_at" IS NOT NULL;
-- Which runs have ended of late, for who follows them: a few pages for each week, and next to nothing for a run.
CREATE INDEX "run_finished" ON "run" USING brin ("finished_at") WITH (pages_per_range = 32, autosummarize = on);
-- Whether a run has been re-run, and by which.
CREATE INDEX "run_rerun_of" ON "run" ("rerun_of") WHERE "rerun_of" IS NOT NULL;
-- For the reconciler: what waits for one worker.
CREATE INDEX "run_of_worker" ON "run" ("namespace", "need") WHERE "need" LIKE '%@%' AND "phase" IN ('live', 'untold', 'waiting');
CREATE INDEX "run_backfill" ON "run" ("backfill_id") WHERE "backfill_id" IS NOT NULL;

-- I4: a terminal row never changes.
CREATE TRIGGER "run_terminal_is_final" BEFORE UPDATE ON "run" FOR EACH ROW
  WHEN (OLD."finished_at" IS NOT NULL) EXECUTE FUNCTION "refuse_terminal_change"();
-- The conditions cost nothing for a run without followers.
CREATE TRIGGER "run_changed" AFTER UPDATE ON "run" FOR EACH ROW
  WHEN (OLD."state" <> NEW."state" AND (NEW."watched" OR NEW."takes" OR NEW."batch_id" IS NOT NULL OR NEW."state" = 'cancelled'))
  EXECUTE FUNCTION "note_run_change"();
-- Rows that only move to another partition record nothing: that was done when they were made.
CREATE TRIGGER "run_never_run" AFTER INSERT ON "run" FOR EACH ROW
  WHEN (NEW."watched" AND NEW."finished_at" IS NOT NULL AND current_setting('escapement.moves_rows', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION "note_run_change"();

-- The workers that an occurrence of a task with `spread` was planned for: a row of the ledger each.
CREATE TABLE "spread_occurrence" (
  "task_id"       uuid NOT NULL,
  "scheduled_for" timestamptz(3) NOT NULL,
  "workers"       text[] NOT NULL,
  CONSTRAINT "spread_occurrence_pkey" PRIMARY KEY ("task_id", "scheduled_for")
);

-- Runs that end in a later hour than they were due in: what was rolled up of theirs is out of date. All others end before
-- their hour is rolled up.
CREATE TRIGGER "run_ended_late" AFTER UPDATE ON "run" FOR EACH ROW
  WHEN (OLD."finished_at" IS NULL AND NEW."finished_at" >= date_bin('1 hour', NEW."scheduled_for", 'epoch') + interval '1 hour')
  EXECUTE FUNCTION "note_stale_hour"();

-- Runs that have failed for good, a row each, so that failures are counted by what they have in common without reading their errors.
-- Written by the statement that ends the run (a trigger); a scheduler adds the fingerprint. See docs/decisions/0075.
CREATE TABLE "failure" (
  "namespace"     text NOT NULL,
  "run_id"        uuid NOT NULL,
  "scheduled_for" timestamptz(3) NOT NULL,
  "task_id"       uuid NOT NULL,
  "finished_at"   timestamptz(3) NOT NULL,
  -- What is taken for the same (core/error-group.ts). Null: nobody has looked yet.
  "fingerprint"   text,
  -- After which release an error was first seen: a worker's row, which tells of its code, is kept for a day after its end.
  "deployment_id" bigint,
  CONSTRAINT "failure_pkey" PRIMARY KEY ("namespace", "run_id")
);

-- Ids of runs are in the order in which the runs were due.
CREATE INDEX "failure_task" ON "failure" ("task_id", "run_id");
CREATE INDEX "failure_fingerprint" ON "failure" ("namespace", "fingerprint", "run_id");
CREATE INDEX "failure_ungrouped" ON "failure" ("namespace", "run_id") WHERE "fingerprint" IS NULL;

CREATE TRIGGER "run_failed_for_good" AFTER UPDATE ON "run" FOR EACH ROW
  WHEN (NEW."state" IN ('failed', 'timed_out', 'quarantined') AND OLD."state" <> NEW."state")
  EXECUTE FUNCTION "note_failure"();
CREATE TRIGGER "run_came_late" AFTER INSERT ON "run" FOR EACH ROW
  WHEN (NEW."finished_at" >= date_bin('1 hour', NEW."scheduled_for", 'epoch') + interval '1 hour'
    AND current_setting('escapement.moves_rows', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION "note_stale_hour"();

-- Roll-ups: what became of the runs of a task in an hour, by the hour that they were due in. Made from the ledger once the hour is
-- over (roll_up_hours), and anew after a late end. See docs/decisions/0049.
CREATE TABLE "task_hour" (
  "task_id"     uuid NOT NULL,
  "hour"        timestamptz(3) NOT NULL,
  -- Rows of the ledger that have ended, and those of them that were begun.
  "runs"        integer NOT NULL,
  "started"     integer NOT NULL,
  "succeeded"   integer NOT NULL,
  "failed"      integer NOT NULL,
  "timed_out"   integer NOT NULL,
  "quarantined" integer NOT NULL,
  -- Occurrences: a row may stand for several.
  "skipped"     integer NOT NULL,
  "missed"      integer NOT NULL,
  "superseded"  integer NOT NULL,
  "cancelled"   integer NOT NULL,
  -- How many runs took so long, and how many began so late: {"bucket": runs}, see duration_bucket().
  "took"        jsonb NOT NULL,
  "late"        jsonb NOT NULL,
  CONSTRAINT "task_hour_pkey" PRIMARY KEY ("task_id", "hour")
) PARTITION BY RANGE ("hour");

-- How long the runs of a task take, as learn_durations() has found it in the roll-ups.
CREATE TABLE "task_duration" (
  "task_id"    uuid NOT NULL,
  -- How many runs it was learned from.
  "runs"       integer NOT NULL,
  "p50_ms"     double precision NOT NULL,
  "p95_ms"     double precision NOT NULL,
  "learned_at" timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "task_duration_pkey" PRIMARY KEY ("task_id")
);

-- Hours to be rolled up anew. No row is ever changed, nobody waits for another.
CREATE TABLE "task_hour_stale" (
  "id"        bigint GENERATED ALWAYS AS IDENTITY,
  "namespace" text NOT NULL,
  "task_id"   uuid NOT NULL,
  "hour"      timestamptz(3) NOT NULL,
  CONSTRAINT "task_hour_stale_pkey" PRIMARY KEY ("namespace", "id")
);

-- How far a namespace is rolled up.
CREATE TABLE "roll_up" (
  "namespace"    text NOT NULL,
  -- All hours before this one are.
  "rolled_until" timestamptz(3) NOT NULL,
  -- Of this hour, the tasks up to this id; null: none.
  "after_task"   uuid,
  -- A transaction that came after the end of this hour. Once all before it are over, no end of that hour is still to come
  -- that leaves no note.
  "closed_hour"  timestamptz(3),
  "closed_by"    xid8,
  CONSTRAINT "roll_up_pkey" PRIMARY KEY ("namespace")
);

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

-- A run's output in pieces of up to 64 KiB; by day of writing.
CREATE TABLE "run_log_chunk" (
  "run_id"     uuid NOT NULL,
  "attempt"    integer NOT NULL,
  "seq"        integer NOT NULL,
  "written_at" timestamptz(3) NOT NULL DEFAULT now(),
  "text"       text NOT NULL,
  CONSTRAINT "run_log_chunk_pkey" PRIMARY KEY ("run_id", "attempt", "seq", "written_at")
) PARTITION BY RANGE ("written_at");

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
  -- Whether anybody may be waiting for the slot: who frees it sees on the row that it locks anyway whether there is a wait queue.
  "awaited"           boolean NOT NULL DEFAULT false,
  -- The limit belongs to the rendered key. Tasks whose templates differ may render to one key with different limits, and an
  -- edit changes the limit while runs of the old one are open: then the smallest limit among the runs that hold the key, and
  -- of the one that asks, counts. On slot 1: the limit in which all runs agree that hold slots of the key; 0: they may not,
  -- who begins has to count them. Written and read under the lock of that row, which each begin of the key takes.
  "key_limit"         integer NOT NULL DEFAULT 0,
  CONSTRAINT "key_slot_pkey" PRIMARY KEY ("namespace", "key", "slot"),
  CONSTRAINT "key_slot_run_has_time" CHECK (("run_id" IS NULL) = ("run_scheduled_for" IS NULL))
) WITH (fillfactor = 60);

------------------------------------------------------------------------------------------------------------------------
-- Rates. Only tasks that have one have rows here. See docs/decisions/0025.

-- What is counted together under a rate's key. Its row is locked by who takes or reserves a token.
CREATE TABLE "rate_bucket" (
  "namespace"  text NOT NULL,
  "rate_key"   text NOT NULL,
  -- Starts so far; the number of the last one.
  "taken"      bigint NOT NULL DEFAULT 0,
  -- The largest limit and the longest time that counted here: so many starts are kept, and the row for so long.
  "most"       integer NOT NULL DEFAULT 0,
  "longest_ms" bigint NOT NULL DEFAULT 0,
  "last_at"    timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "rate_bucket_pkey" PRIMARY KEY ("namespace", "rate_key")
) WITH (fillfactor = 60);

-- When each of the last starts was: its token comes back so long after it.
CREATE TABLE "rate_start" (
  "namespace"  text NOT NULL,
  "rate_key"   text NOT NULL,
  "number"     bigint NOT NULL,
  "started_at" timestamptz(3) NOT NULL,
  "run_id"     uuid NOT NULL,
  CONSTRAINT "rate_start_pkey" PRIMARY KEY ("namespace", "rate_key", "number")
);

-- Runs that wait for a token, in their order, and those that have one reserved since woken_at: 5 s, then it is for anyone.
-- A row counts only while its run is `waiting`, or `queued` and woken; others are cleared away when they are met.
CREATE TABLE "rate_wait" (
  "namespace"     text NOT NULL,
  "rate_key"      text NOT NULL,
  "scheduled_for" timestamptz(3) NOT NULL,
  "run_id"        uuid NOT NULL,
  "key"           text NOT NULL,
  "woken_at"      timestamptz(3),
  CONSTRAINT "rate_wait_pkey" PRIMARY KEY ("namespace", "rate_key", "scheduled_for", "run_id")
);

CREATE INDEX "rate_wait_woken" ON "rate_wait" ("namespace", "rate_key") WHERE "woken_at" IS NOT NULL;

------------------------------------------------------------------------------------------------------------------------
-- What follows runs

-- The followers outbox: what must still be done about a run. The statement that does it deletes the row.
CREATE TABLE "followers_outbox" (
  "id"            bigint GENERATED ALWAYS AS IDENTITY,
  "namespace"     text NOT NULL,
  "run_id"        uuid NOT NULL,
  "scheduled_for" timestamptz(3) NOT NULL,
  "task_id"       uuid NOT NULL,
  -- started, finished: for the task's lifecycle and `then`; chain: the handler asked for these runs; next: it said when its
  -- task is due next.
  "event"         text NOT NULL,
  "detail"        jsonb,
  "not_before"    timestamptz(3) NOT NULL DEFAULT now(),
  "tries"         integer NOT NULL DEFAULT 0,
  -- Why it could not be done.
  "error"         text,
  "created_at"    timestamptz(3) NOT NULL DEFAULT now(),
  -- Since when it is not tried any more. The row stays, so that people can see it.
  "given_up_at"   timestamptz(3),
  CONSTRAINT "followers_outbox_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "followers_outbox_event_known" CHECK ("event" IN ('started', 'finished', 'chain', 'next')),
  CONSTRAINT "followers_outbox_given_up_has_error" CHECK ("given_up_at" IS NULL OR "error" IS NOT NULL)
);

CREATE INDEX "followers_outbox_due" ON "followers_outbox" ("namespace", "not_before", "id") WHERE "given_up_at" IS NULL;
CREATE INDEX "followers_outbox_run" ON "followers_outbox" ("run_id");
-- What a task's runs have decided about its next one.
CREATE INDEX "followers_outbox_next" ON "followers_outbox" ("task_id") WHERE "event" = 'next';

-- What somebody is told of, and who it is: rules, receivers, routes (core/alerts/alerting.ts). The version that has not ended is in force.
CREATE TABLE "alerting" (
  "namespace"  text NOT NULL,
  "version"    integer NOT NULL,
  "definition" jsonb NOT NULL,
  "created_by" text NOT NULL,
  "created_at" timestamptz(3) NOT NULL DEFAULT now(),
  "ended_at"   timestamptz(3),
  CONSTRAINT "alerting_pkey" PRIMARY KEY ("namespace", "version")
);

CREATE UNIQUE INDEX "alerting_in_force" ON "alerting" ("namespace") WHERE "ended_at" IS NULL;

-- What a scheduler has to judge by the rules: a run failed for good or was missed, the verification of the ledger found something. Noted by
-- the write that did it, and gone with the write that opens alerts for it: nothing is lost, and nothing opens two.
CREATE TABLE "alert_fact" (
  "namespace"     text NOT NULL,
  "id"            bigint GENERATED ALWAYS AS IDENTITY,
  "kind"          text NOT NULL,
  "run_id"        uuid,
  "scheduled_for" timestamptz(3),
  "task_id"       uuid,
  "detail"        jsonb,
  "created_at"    timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "alert_fact_pkey" PRIMARY KEY ("namespace", "id"),
  CONSTRAINT "alert_fact_kind_known" CHECK ("kind" IN ('run', 'ledger')),
  CONSTRAINT "alert_fact_of_run" CHECK ("kind" <> 'run' OR ("run_id" IS NOT NULL AND "scheduled_for" IS NOT NULL AND "task_id" IS NOT NULL))
);

-- The conditions are false for all others. Who says what became of an unknown run knows of it.
CREATE TRIGGER "run_failed" AFTER UPDATE ON "run" FOR EACH ROW
  WHEN (NEW."state" IN ('failed', 'timed_out', 'quarantined', 'missed') AND OLD."state" NOT IN (NEW."state", 'unknown'))
  EXECUTE FUNCTION "note_alert_fact"();
CREATE TRIGGER "run_never_came" AFTER INSERT ON "run" FOR EACH ROW
  WHEN (NEW."state" = 'missed' AND current_setting('escapement.moves_rows', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION "note_alert_fact"();

-- Alerts: one at a time for a rule and what it is about.
CREATE TABLE "alert" (
  "id"              bigint GENERATED ALWAYS AS IDENTITY,
  "namespace"       text NOT NULL,
  "rule"            text NOT NULL,
  "kind"            text NOT NULL,
  "severity"        text NOT NULL,
  -- As task:ID, pool:NAME, heartbeat:ID, name:NAME of a task that is not there, or fleet.
  "subject"         text NOT NULL,
  "task_id"         uuid,
  "labels"          jsonb NOT NULL,
  "state"           text NOT NULL,
  "summary"         text NOT NULL,
  "why"             jsonb NOT NULL DEFAULT '[]',
  -- The latest runs that it is told by, the last one first: id, scheduledFor.
  "runs"            jsonb NOT NULL DEFAULT '[]',
  -- How often it was seen.
  "seen"            integer NOT NULL DEFAULT 1,
  "since"           timestamptz(3) NOT NULL,
  "last_at"         timestamptz(3) NOT NULL,
  -- Pending until then.
  "fire_at"         timestamptz(3) NOT NULL,
  "fired_at"        timestamptz(3),
  "acknowledged_at" timestamptz(3),
  "acknowledged_by" text,
  "note"            text,
  "resolved_at"     timestamptz(3),
  "resolved_why"    text,
  -- Why nobody is told of it for now; null: nothing keeps it.
  "muted"           text,
  -- What is still to be told; null: all is told.
  "tell"            text,
  -- Where its firing was told: destinations.
  "told"            jsonb NOT NULL DEFAULT '[]',
  "repeat_at"       timestamptz(3),
  CONSTRAINT "alert_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "alert_state_known" CHECK ("state" IN ('pending', 'firing', 'resolved')),
  CONSTRAINT "alert_severity_known" CHECK ("severity" IN ('critical', 'warning', 'info')),
  CONSTRAINT "alert_tell_known" CHECK ("tell" IN ('firing', 'resolved')),
  CONSTRAINT "alert_ends" CHECK (("state" = 'resolved') = ("resolved_at" IS NOT NULL))
);

CREATE UNIQUE INDEX "alert_open" ON "alert" ("namespace", "rule", "subject") WHERE "state" <> 'resolved';
CREATE INDEX "alert_tell" ON "alert" ("namespace", "id") WHERE "tell" IS NOT NULL;
CREATE INDEX "alert_repeat" ON "alert" ("namespace", "repeat_at") WHERE "repeat_at" IS NOT NULL AND "state" = 'firing';
CREATE INDEX "alert_resolved" ON "alert" ("namespace", "resolved_at") WHERE "state" = 'resolved';

-- Alerts that match are not told until then.
CREATE TABLE "alert_silence" (
  "id"         bigint GENERATED ALWAYS AS IDENTITY,
  "namespace"  text NOT NULL,
  -- Labels of alerts, as task=billing/nightly,rule=failed.
  "match"      text NOT NULL,
  "until_at"   timestamptz(3) NOT NULL,
  "note"       text NOT NULL,
  "created_by" text NOT NULL,
  "created_at" timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "alert_silence_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "alert_silence_until" ON "alert_silence" ("namespace", "until_at");

-- Messages about alerts to a receiver. Until it is tried first, what its group has to say is added to it.
CREATE TABLE "delivery" (
  "id"          bigint GENERATED ALWAYS AS IDENTITY,
  "namespace"   text NOT NULL,
  "receiver"    text NOT NULL,
  "alert_group" text NOT NULL,
  "alerts"      bigint[] NOT NULL,
  "repeated"    boolean NOT NULL,
  "state"       text NOT NULL DEFAULT 'pending',
  "tries"       integer NOT NULL DEFAULT 0,
  "try_at"      timestamptz(3) NOT NULL,
  "error"       text,
  -- What was sent last, as plain text.
  "text"        text,
  "created_at"  timestamptz(3) NOT NULL DEFAULT now(),
  "ended_at"    timestamptz(3),
  CONSTRAINT "delivery_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "delivery_state_known" CHECK ("state" IN ('pending', 'sent', 'dropped'))
);

CREATE UNIQUE INDEX "delivery_gathering" ON "delivery" ("namespace", "receiver", "alert_group") WHERE "state" = 'pending' AND "tries" = 0;
CREATE INDEX "delivery_pending" ON "delivery" ("namespace", "try_at") WHERE "state" = 'pending';
CREATE INDEX "delivery_latest" ON "delivery" ("namespace", "receiver", "alert_group", "id");

-- When a scheduler last looked for alerts, and until when it has seen what ended.
CREATE TABLE "alert_watch" (
  "namespace"   text NOT NULL,
  "looked_at"   timestamptz(3) NOT NULL,
  "ended_until" timestamptz(3) NOT NULL,
  -- When an API last said that it takes pings. Null: none ever did.
  "heard_at"      timestamptz(3),
  -- Since when somebody looks for alerts without a break: what is silent after an outage is silent from then on.
  "watched_since" timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "alert_watch_pkey" PRIMARY KEY ("namespace")
);

-- Runs that succeeded, and yet a rule found something wrong with them.
CREATE TABLE "run_mark" (
  "run_id"        uuid NOT NULL,
  "scheduled_for" timestamptz(3) NOT NULL,
  "namespace"     text NOT NULL,
  "rule"          text NOT NULL,
  "detail"        text NOT NULL,
  "created_at"    timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "run_mark_pkey" PRIMARY KEY ("run_id", "rule")
);

------------------------------------------------------------------------------------------------------------------------
-- Many runs at once

-- Backfills: ranges of past occurrences to run. The scheduler makes their rows a few at a time.
CREATE TABLE "backfill" (
  "id"           uuid NOT NULL DEFAULT gen_random_uuid(),
  "namespace"    text NOT NULL,
  "task_id"      uuid NOT NULL,
  -- Both ends belong to it.
  "from_at"      timestamptz(3) NOT NULL,
  "to_at"        timestamptz(3) NOT NULL,
  "reprocess"    text NOT NULL,
  -- Runs of it that are open at once.
  "concurrency"  integer NOT NULL,
  "reverse"      boolean NOT NULL,
  "state"        text NOT NULL DEFAULT 'running',
  -- Grows with each step: of two schedulers one goes on.
  "seq"          integer NOT NULL DEFAULT 0,
  -- The last occurrence that was gone through.
  "cursor_at"    timestamptz(3),
  "made"         integer NOT NULL DEFAULT 0,
  "kept"         integer NOT NULL DEFAULT 0,
  "error"        text,
  "requested_by" text NOT NULL,
  "created_at"   timestamptz(3) NOT NULL DEFAULT now(),
  "ended_at"     timestamptz(3),
  CONSTRAINT "backfill_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "backfill_state_known" CHECK ("state" IN ('running', 'stopped', 'done')),
  CONSTRAINT "backfill_reprocess_known" CHECK ("reprocess" IN ('none', 'failed', 'all')),
  CONSTRAINT "backfill_concurrency_positive" CHECK ("concurrency" >= 1),
  CONSTRAINT "backfill_range_is_one" CHECK ("from_at" <= "to_at"),
  CONSTRAINT "backfill_end_has_time" CHECK (("ended_at" IS NOT NULL) = ("state" <> 'running'))
);

CREATE INDEX "backfill_running" ON "backfill" ("namespace") WHERE "state" = 'running';

-- Many runs of a task that one run has asked for. Their items are kept in pages; the runs are made a few at a time, in the
-- order of the items. A batch's id is that of a run of its time whose last four bytes are 0; a child has its place there,
-- from 1, so that the children of a batch lie side by side in the primary key of `run`.
CREATE TABLE "batch" (
  "id"                uuid NOT NULL,
  "namespace"         text NOT NULL,
  "run_id"            uuid NOT NULL,
  "run_scheduled_for" timestamptz(3) NOT NULL,
  -- Tells the batches of a run apart.
  "name"              text NOT NULL,
  "task_id"           uuid NOT NULL,
  -- A template over the item; null: the children share a key of the batch.
  "key"               text,
  -- Children that are open at once.
  "concurrency"       integer NOT NULL,
  "ordering"          text NOT NULL,
  "on_error"          text NOT NULL,
  "join_task"         text,
  -- For its children and the run that joins them.
  "traceparent"       text,
  "state"             text NOT NULL DEFAULT 'filling',
  -- The attempt of the run that fills it.
  "filled_by"         integer NOT NULL,
  "total"             integer NOT NULL DEFAULT 0,
  "made"              integer NOT NULL DEFAULT 0,
  "succeeded"         integer NOT NULL DEFAULT 0,
  "skipped"           integer NOT NULL DEFAULT 0,
  "failed"            integer NOT NULL DEFAULT 0,
  "cancelled_by"      text,
  "reason"            text,
  -- Also the scheduled_for of its children.
  "created_at"        timestamptz(3) NOT NULL,
  "advanced_at"       timestamptz(3) NOT NULL DEFAULT now(),
  "ended_at"          timestamptz(3),
  CONSTRAINT "batch_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "batch_state_known" CHECK ("state" IN ('filling', 'running', 'stopping', 'cancelling', 'done', 'cancelled')),
  CONSTRAINT "batch_ordering_known" CHECK ("ordering" IN ('none', 'start', 'series')),
  CONSTRAINT "batch_on_error_known" CHECK ("on_error" IN ('continue', 'stop')),
  CONSTRAINT "batch_concurrency_positive" CHECK ("concurrency" >= 1),
  CONSTRAINT "batch_counts_fit" CHECK ("succeeded" + "skipped" + "failed" <= "made" AND "made" <= "total"),
  CONSTRAINT "batch_end_has_time" CHECK (("ended_at" IS NOT NULL) = ("state" IN ('done', 'cancelled')))
) WITH (fillfactor = 50);

CREATE UNIQUE INDEX "batch_run_name" ON "batch" ("run_id", "name");
-- For lists, the latest first: an id begins with its time.
CREATE INDEX "batch_latest" ON "batch" ("namespace", "id");
CREATE INDEX "batch_task" ON "batch" ("task_id", "id");
CREATE INDEX "batch_open" ON "batch" ("namespace", "advanced_at") WHERE "state" IN ('filling', 'running', 'stopping', 'cancelling');

-- The items of a batch that have no run yet, up to 100 in a row.
CREATE TABLE "batch_page" (
  "batch_id" uuid NOT NULL,
  "first"    integer NOT NULL,
  "items"    jsonb NOT NULL,
  CONSTRAINT "batch_page_pkey" PRIMARY KEY ("batch_id", "first")
);

-- Children that have ended and are not counted yet. No foreign key: it would have the ends of runs wait for their batch.
CREATE TABLE "batch_note" (
  "id"       bigint GENERATED ALWAYS AS IDENTITY,
  "batch_id" uuid NOT NULL,
  "state"    text NOT NULL,
  CONSTRAINT "batch_note_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "batch_note_batch" ON "batch_note" ("batch_id");

-- Work-lists: items that runs of any task take one after the other, across the fleet.
CREATE TABLE "work_list" (
  "namespace" text NOT NULL,
  "name"      text NOT NULL,
  -- Of the next item that is added. Who adds locks the row until its items are there: places are in the order of commits.
  "next"      bigint NOT NULL DEFAULT 0,
  CONSTRAINT "work_list_pkey" PRIMARY KEY ("namespace", "name")
);

CREATE TABLE "work_item" (
  "namespace" text NOT NULL,
  "list"      text NOT NULL,
  "place"     bigint NOT NULL,
  "item"      jsonb NOT NULL,
  -- Who has taken it; null: nobody. An item that is confirmed is deleted.
  "run_id"    uuid,
  "taken_at"  timestamptz(3),
  CONSTRAINT "work_item_pkey" PRIMARY KEY ("namespace", "list", "place"),
  CONSTRAINT "work_item_taken_has_time" CHECK (("run_id" IS NULL) = ("taken_at" IS NULL))
) WITH (fillfactor = 70);

CREATE INDEX "work_item_free" ON "work_item" ("namespace", "list", "place") WHERE "run_id" IS NULL;
CREATE INDEX "work_item_taken" ON "work_item" ("run_id") WHERE "run_id" IS NOT NULL;

-- How many items a run has added to a list: a retry that adds them again adds none twice.
CREATE TABLE "work_list_fill" (
  "run_id"    uuid NOT NULL,
  "namespace" text NOT NULL,
  "list"      text NOT NULL,
  "added"     integer NOT NULL,
  CONSTRAINT "work_list_fill_pkey" PRIMARY KEY ("run_id", "list")
);

------------------------------------------------------------------------------------------------------------------------
-- The fleet and its people

-- The settings of pools of workers. A pool without a row has the defaults.
CREATE TABLE "pool" (
  "namespace"        text NOT NULL,
  "name"             text NOT NULL,
  -- How many workers should be alive; null: not set.
  "expected_workers" integer,
  -- Whether the priorities of tasks count among its runs.
  "priorities"       boolean NOT NULL DEFAULT true,
  -- So many of its runs may start within so long, over all workers. Null: it has no rate.
  "rate_limit"       integer,
  "rate_per_ms"      bigint,
  -- No run of it begins from then to before paused_until. Null: it is not paused; until null: until somebody resumes it.
  "paused_from"      timestamptz(3),
  "paused_until"     timestamptz(3),
  "pause_note"       text,
  "paused_by"        text,
  "created_at"       timestamptz(3) NOT NULL DEFAULT now(),
  "updated_at"       timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "pool_pkey" PRIMARY KEY ("namespace", "name"),
  CONSTRAINT "pool_rate_is_whole" CHECK (("rate_limit" IS NULL) = ("rate_per_ms" IS NULL) AND "rate_limit" > 0 AND "rate_per_ms" > 0),
  CONSTRAINT "pool_expects_workers" CHECK ("expected_workers" >= 0),
  CONSTRAINT "pool_pause_is_whole" CHECK (CASE WHEN "paused_from" IS NULL
    THEN "paused_until" IS NULL AND "pause_note" IS NULL AND "paused_by" IS NULL ELSE "paused_by" IS NOT NULL END)
);
-- What each look-up and each begin asks.
CREATE INDEX "pool_rate" ON "pool" ("namespace", "name") WHERE "rate_limit" IS NOT NULL;

-- Schedulers and workers, with their heartbeats: the runs that each lists as active.
CREATE TABLE "process" (
  "id"                text NOT NULL,
  "namespace"         text NOT NULL DEFAULT 'default',
  "role"              text NOT NULL,
  "host"              text NOT NULL,
  "pid"               integer NOT NULL,
  "app_version"       text NOT NULL,
  "pools"             text[] NOT NULL DEFAULT '{}',
  -- The needs of runs that a worker can meet.
  "offers"            text[] NOT NULL DEFAULT '{}',
  "started_at"        timestamptz(3) NOT NULL DEFAULT now(),
  "heartbeat_at"      timestamptz(3) NOT NULL DEFAULT now(),
  "prev_heartbeat_at" timestamptz(3),
  "active_runs"       uuid[] NOT NULL DEFAULT '{}',
  "prev_active_runs"  uuid[] NOT NULL DEFAULT '{}',
  "clock_offset_ms"   integer,
  "planned_at"        timestamptz(3),
  "stopped_at"        timestamptz(3),
  -- The code that a worker has.
  "deployment_id"     bigint,
  -- What tasks of a worker can reach of its credentials.
  "exposes"           text[] NOT NULL DEFAULT '{}',
  -- Which secrets a worker gives to which tasks, as its ESCAPEMENT_SECRETS says; no values.
  "secret_rules"      text,
  -- A person has asked a worker to take nothing new, who, and why.
  "drain_asked_at"    timestamptz(3),
  "drain_asked_by"    text,
  "drain_note"        text,
  -- What a worker is called, also when it is started again; and whether somebody has given it that name, or it is its host's.
  "name"              text,
  "is_named"          boolean NOT NULL DEFAULT false,
  -- Of a worker: how many runs it takes at once.
  "concurrency"       integer,
  -- The release of the IANA time zone data that it goes by.
  "tz_version"        text,
  -- What the program has found in its Redis, and when: a namespace moves to another Redis when no program sees the old one any more.
  "redis_id"          text,
  "redis_read_at"     timestamptz(3),
  CONSTRAINT "process_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "process_role_known" CHECK ("role" IN ('scheduler', 'worker'))
) WITH (fillfactor = 50);

CREATE INDEX "process_heartbeat" ON "process" ("namespace", "role", "heartbeat_at");

-- Cluster locks: the process that moves taken_at first does the pass.
CREATE TABLE "cluster_lock" (
  "namespace"  text NOT NULL,
  "name"       text NOT NULL,
  "taken_at"   timestamptz(3) NOT NULL,
  -- Which process does the pass, and until when others leave it alone: a long pass may take more than the interval.
  "holder"     text,
  "held_until" timestamptz(3),
  -- Up to when what the lock is for has been done; null: it is not for something that is done up to an instant, or was never done.
  "done_until" timestamptz(3),
  CONSTRAINT "cluster_lock_pkey" PRIMARY KEY ("namespace", "name")
);

-- Which run a key of a principal stands for (the header Idempotency-Key), so that asking twice makes one run. Kept for a day.
CREATE TABLE "trigger_key" (
  "namespace"      text NOT NULL,
  "principal_kind" text NOT NULL,
  "principal_id"   text NOT NULL,
  "key"            text NOT NULL,
  "run_id"         uuid NOT NULL,
  "scheduled_for"  timestamptz(3) NOT NULL,
  -- SHA-256 of what was asked for with it.
  "digest"         text NOT NULL,
  "created_at"     timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "trigger_key_pkey" PRIMARY KEY ("namespace", "principal_kind", "principal_id", "key")
);

-- What a person has said about failures that are taken for the same: `errorGroupOf` of core says which are.
CREATE TABLE "error_stand" (
  "namespace"   text NOT NULL,
  "fingerprint" text NOT NULL,
  -- Nothing is to be done any more: what fails later is back.
  "resolved_at" timestamptz(3),
  "muted_until" timestamptz(3),
  "changed_by"  text NOT NULL,
  "note"        text,
  "changed_at"  timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "error_stand_pkey" PRIMARY KEY ("namespace", "fingerprint"),
  CONSTRAINT "error_stand_fingerprint" CHECK ("fingerprint" ~ '^[0-9a-f]{16}$')
);

-- What has changed, for whoever watches by the API. One process writes a row for each look that has found something; a row is kept for some minutes.
CREATE TABLE "change" (
  "id"        bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  "namespace" text NOT NULL,
  "at"        timestamptz(3) NOT NULL DEFAULT now(),
  "changes"   jsonb NOT NULL,
  CONSTRAINT "change_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "change_of_namespace" ON "change" ("namespace", "id");

-- The process that looks for changes. What was committed before `observed_at` is in `change`.
CREATE TABLE "change_writer" (
  "namespace"   text NOT NULL,
  "holder"      text NOT NULL,
  "held_until"  timestamptz(3) NOT NULL,
  "observed_at" timestamptz(3) NOT NULL,
  CONSTRAINT "change_writer_pkey" PRIMARY KEY ("namespace")
);

-- The marker that was last written to Redis, which shows whether Redis has lost data. One row a namespace.
CREATE TABLE "queue_watch" (
  "namespace"        text NOT NULL,
  -- What was last written into Redis, and the run id of the server that took it: an older value, none, or another
  -- server mean that jobs may be gone.
  "marker"           text NOT NULL,
  "server"           text NOT NULL,
  -- Grows with each request for a resync. The whole queue is compared until `resync_completed` has reached it.
  "resync_requested" integer NOT NULL DEFAULT 1,
  "resync_completed" integer NOT NULL DEFAULT 0,
  -- Where the ledger was last (`ledger_place`); null: Postgres has not said. And when it last was somewhere else than before, and how
  -- (LEDGER_MOVES of core). See docs/decisions/0038.
  "place"            text,
  "moved_at"         timestamptz(3),
  "moved_how"        text,
  -- What other programs have done to queues in Redis so that runs do not start (queueBlock of core).
  "blocked"          jsonb NOT NULL DEFAULT '[]',
  -- Which Redis serves the namespace: an id that is kept in that Redis, not its address. See docs/decisions/0125.
  "redis_id"         text,
  CONSTRAINT "queue_watch_move_has_time" CHECK (("moved_at" IS NULL) = ("moved_how" IS NULL)),
  CONSTRAINT "queue_watch_pkey" PRIMARY KEY ("namespace"),
  CONSTRAINT "queue_watch_resync_was_requested" CHECK ("resync_completed" <= "resync_requested")
) WITH (fillfactor = 50);

-- By which a ledger knows whether its rows were written where it is: in a row that a restore from a dump has put there, `written_in` is
-- not the transaction that has written the row. See docs/decisions/0093.
CREATE TABLE "ledger_origin" (
  "namespace"  text NOT NULL,
  "written_in" bigint NOT NULL,
  -- When somebody last said what is to become of what a copy lacks; null: nobody has.
  "checked_at" timestamptz(3),
  -- A sign of life that nobody gives to a copy of the ledger.
  "alive_at"   timestamptz(3),
  CONSTRAINT "ledger_origin_pkey" PRIMARY KEY ("namespace")
);

-- What the reconciler repaired, by kind: the last time, and in total.
CREATE TABLE "drift" (
  "namespace" text NOT NULL,
  "kind"      text NOT NULL,
  "found_at"  timestamptz(3) NOT NULL,
  "found"     integer NOT NULL,
  "total"     bigint NOT NULL,
  CONSTRAINT "drift_pkey" PRIMARY KEY ("namespace", "kind")
) WITH (fillfactor = 50);

-- What a scheduler does for people and programs, because it needs Redis or takes long; and its answer.
CREATE TABLE "request" (
  "id"          uuid NOT NULL DEFAULT gen_random_uuid(),
  "namespace"   text NOT NULL,
  -- What is asked, with its kind.
  "request"     jsonb NOT NULL,
  -- The principal.
  "asked_by"    jsonb NOT NULL,
  -- In their own words.
  "reason"      text,
  "asked_at"    timestamptz(3) NOT NULL DEFAULT now(),
  -- After this nobody begins with it, because nobody waits for the answer any more.
  "expires_at"  timestamptz(3) NOT NULL,
  "taken_by"    text,
  "taken_at"    timestamptz(3),
  "answered_at" timestamptz(3),
  -- How far it has come, where it is carried out in chunks; empty: not begun. Null: it is carried out at once.
  "progress"    jsonb,
  "answer"      jsonb,
  "error"       jsonb,
  -- What somebody has halted: nobody begins with its next chunk, until it goes on again (`paused`), or at all (`cancelled`).
  "halt"        text,
  CONSTRAINT "request_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "request_answer_check" CHECK (("answered_at" IS NOT NULL) = ("answer" IS NOT NULL OR "error" IS NOT NULL)),
  CONSTRAINT "request_halt_known" CHECK ("halt" IN ('paused', 'cancelled'))
);

CREATE INDEX "request_open_idx" ON "request" ("namespace", "asked_at") WHERE "answered_at" IS NULL;
-- Jobs, for people: most requests are none, but questions that are answered at once.
CREATE INDEX "request_jobs" ON "request" ("namespace", "asked_at") WHERE "progress" IS NOT NULL;

-- What people and programs did, and what was refused to them. Each row is written by the statement that did it.
CREATE TABLE "audit" (
  "id"        bigint GENERATED ALWAYS AS IDENTITY,
  "namespace" text NOT NULL,
  "at"        timestamptz(3) NOT NULL DEFAULT now(),
  "principal_kind"    text NOT NULL,
  "principal_id"      text NOT NULL,
  "principal_name"    text NOT NULL,
  "principal_address" text,
  "action"    text NOT NULL,
  -- `run:ID`, `key:KEY`, `task:NAME`, `pool:NAME`, `list:NAME`, `backfill:ID`, `calendar:NAME`, `request:ID`, `namespace:NAME`,
  -- `user:NAME`, `token:ID` or `error:FINGERPRINT`.
  "subject"   text NOT NULL,
  "reason"    text,
  "detail"    jsonb NOT NULL DEFAULT '{}',
  -- What it was and what it became, without secrets, where a definition or setting was changed.
  "before"    jsonb,
  "after"     jsonb,
  -- The request that it was part of: several entries may have the same.
  "request_id" text,
  -- It was not done, for want of a right.
  "refused"   boolean NOT NULL DEFAULT false,
  CONSTRAINT "audit_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "audit_principal_kind" CHECK ("principal_kind" IN ('user', 'token', 'process', 'cli')),
  CONSTRAINT "audit_principal_length" CHECK (length("principal_id") BETWEEN 1 AND 200 AND length("principal_name") BETWEEN 1 AND 200)
);

CREATE INDEX "audit_subject" ON "audit" ("namespace", "subject", "id");
CREATE INDEX "audit_at" ON "audit" ("at");
CREATE INDEX "audit_refused" ON "audit" ("namespace", "principal_id", "at") WHERE "refused";
-- What was done for a request: an act on many runs has an entry for each.
CREATE INDEX "audit_request" ON "audit" ("namespace", "request_id", "id");
-- For people who look for one person or one kind of act among the many of a year.
CREATE INDEX "audit_name" ON "audit" ("namespace", "principal_name", "id");
CREATE INDEX "audit_principal" ON "audit" ("namespace", "principal_id", "id");
CREATE INDEX "audit_action" ON "audit" ("namespace", "action", "id");

CREATE TRIGGER "audit_is_guarded" BEFORE INSERT ON "audit" FOR EACH ROW
  EXECUTE FUNCTION "guard_audit"();

CREATE TRIGGER "audit_is_final" BEFORE UPDATE OR DELETE ON "audit" FOR EACH ROW
  EXECUTE FUNCTION "refuse_audit_change"();
CREATE TRIGGER "audit_is_not_emptied" BEFORE TRUNCATE ON "audit" FOR EACH STATEMENT
  EXECUTE FUNCTION "refuse_audit_change"();

-- Programs that may do something in a namespace. Of a token itself only its SHA-256 is kept.
CREATE TABLE "access_token" (
  "namespace"    text NOT NULL,
  -- Stands in the token; no secret.
  "id"           text NOT NULL,
  "name"         text NOT NULL,
  "hash"         bytea NOT NULL,
  "role"         text NOT NULL,
  -- Beside those of the role.
  "rights"       text[] NOT NULL DEFAULT '{}',
  -- The tasks it is for, as a label selector. Null: all.
  "scope"        text,
  "created_at"   timestamptz(3) NOT NULL DEFAULT now(),
  "created_by"   text NOT NULL,
  -- Null: never.
  "expires_at"   timestamptz(3),
  -- To the minute.
  "last_used_at" timestamptz(3),
  "revoked_at"   timestamptz(3),
  CONSTRAINT "access_token_pkey" PRIMARY KEY ("namespace", "id"),
  CONSTRAINT "access_token_hash_length" CHECK (octet_length("hash") = 32),
  CONSTRAINT "access_token_role" CHECK ("role" IN ('reporter', 'viewer', 'operator', 'editor', 'admin')),
  CONSTRAINT "access_token_rights" CHECK ("rights" <@ ARRAY['read-payload', 'shell', 'run-as', 'secrets', 'webhooks'])
);

CREATE UNIQUE INDEX "access_token_name" ON "access_token" ("namespace", "name") WHERE "revoked_at" IS NULL;

-- People who may sign in to a namespace.
CREATE TABLE "access_user" (
  "id"            uuid NOT NULL DEFAULT gen_random_uuid(),
  "namespace"     text NOT NULL,
  "name"          text NOT NULL,
  -- With the way it was made, its parameters and its salt. Null: of a user who signs in at an OpenID provider.
  "password_hash" text,
  "password_at"   timestamptz(3) NOT NULL DEFAULT now(),
  -- Who they are at which OpenID provider.
  "oidc_issuer"   text,
  "oidc_subject"  text,
  "role"          text NOT NULL,
  "rights"        text[] NOT NULL DEFAULT '{}',
  "scope"         text,
  "created_at"    timestamptz(3) NOT NULL DEFAULT now(),
  "created_by"    text NOT NULL,
  -- Why they may not sign in and have no rights. Null: they may.
  "disabled"      text,
  CONSTRAINT "access_user_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "access_user_proof" CHECK (num_nonnulls("password_hash", "oidc_subject") = 1 AND num_nonnulls("oidc_issuer", "oidc_subject") <> 1),
  CONSTRAINT "access_user_disabled" CHECK ("disabled" IN ('by-admin', 'no-group')),
  CONSTRAINT "access_user_role" CHECK ("role" IN ('reporter', 'viewer', 'operator', 'editor', 'admin')),
  CONSTRAINT "access_user_rights" CHECK ("rights" <@ ARRAY['read-payload', 'shell', 'run-as', 'secrets', 'webhooks'])
);

CREATE UNIQUE INDEX "access_user_name" ON "access_user" ("namespace", "name");
CREATE UNIQUE INDEX "access_user_oidc" ON "access_user" ("namespace", "oidc_issuer", "oidc_subject");

-- Browsers in which somebody has signed in. Of the secret that lets them in only its SHA-256 is kept.
CREATE TABLE "access_session" (
  "namespace"   text NOT NULL,
  "hash"        bytea NOT NULL,
  "user_id"     uuid NOT NULL,
  -- Which password it was begun with: after another one was given it is over.
  "password_at" timestamptz(3) NOT NULL,
  -- From where; the name may be tried from there though others try it too.
  "address"     text,
  "created_at"  timestamptz(3) NOT NULL,
  -- To the minute.
  "seen_at"     timestamptz(3) NOT NULL,
  -- At the latest.
  "ends_at"     timestamptz(3) NOT NULL,
  -- When somebody signed out.
  "ended_at"    timestamptz(3),
  CONSTRAINT "access_session_pkey" PRIMARY KEY ("namespace", "hash"),
  CONSTRAINT "access_session_hash_length" CHECK (octet_length("hash") = 32)
);

CREATE INDEX "access_session_user" ON "access_session" ("user_id", "address");

-- Links that let one browser in as a user, once and soon. Of the code in a link only its SHA-256 is kept.
CREATE TABLE "sign_in_code" (
  "namespace"   text NOT NULL,
  "hash"        bytea NOT NULL,
  "user_id"     uuid NOT NULL,
  -- Which password the user had: after another one was given it is over.
  "password_at" timestamptz(3) NOT NULL,
  "ends_at"     timestamptz(3) NOT NULL,
  "used_at"     timestamptz(3),
  CONSTRAINT "sign_in_code_pkey" PRIMARY KEY ("namespace", "hash"),
  CONSTRAINT "sign_in_code_hash_length" CHECK (octet_length("hash") = 32)
);

-- How often somebody tried in vain to sign in, by name and by address, and by address to ping what is not there, or sent a token
-- that is none. All are hashed to a number, so that made-up ones do not fill it.
CREATE TABLE "sign_in_count" (
  "namespace" text NOT NULL,
  "kind"      text NOT NULL,
  "bucket"    integer NOT NULL,
  "tries"     integer NOT NULL,
  -- When the first of them was.
  "since"     timestamptz(3) NOT NULL,
  CONSTRAINT "sign_in_count_pkey" PRIMARY KEY ("namespace", "kind", "bucket"),
  CONSTRAINT "sign_in_count_kind" CHECK ("kind" IN ('name', 'address', 'ping', 'token')),
  CONSTRAINT "sign_in_count_bucket" CHECK ("bucket" BETWEEN 0 AND 65535),
  CONSTRAINT "sign_in_count_tries" CHECK ("tries" >= 0)
);

-- Jobs that run elsewhere, and say by pings how they are (core/heartbeats). What follows from the pings that came is kept here: it does not need them.
CREATE TABLE "heartbeat" (
  "namespace"       text NOT NULL,
  "id"              uuid NOT NULL DEFAULT gen_random_uuid(),
  "name"            text NOT NULL,
  -- Of the id in its URL, which lets anybody ping, only the SHA-256 is kept.
  "ping_hash"       bytea NOT NULL,
  "definition"      jsonb NOT NULL,
  -- Each write raises it: who has read an older one has to read again.
  "revision"        bigint NOT NULL DEFAULT 1,
  "last_ping_at"    timestamptz(3),
  "last_kind"       text,
  "last_success_at" timestamptz(3),
  "failed_at"       timestamptz(3),
  "exit_status"     integer,
  -- Runs that have begun and not ended: rid, since, startedAt.
  "running"         jsonb NOT NULL DEFAULT '[]',
  "due_at"          timestamptz(3),
  -- When something is wrong at the earliest if no ping comes until then.
  "trouble_at"      timestamptz(3),
  -- How many pings have come; of the latest a row is kept.
  "pings"           bigint NOT NULL DEFAULT 0,
  -- Those of the last minute.
  "window_since"    timestamptz(3),
  "window_pings"    integer,
  "paused_at"       timestamptz(3),
  "paused_until"    timestamptz(3),
  "paused_by"       text,
  "pause_note"      text,
  "created_at"      timestamptz(3) NOT NULL DEFAULT now(),
  "created_by"      text NOT NULL,
  -- The last time in which no API took pings, and the heartbeat waited for one.
  "unheard_from"    timestamptz(3),
  "unheard_until"   timestamptz(3),
  CONSTRAINT "heartbeat_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "heartbeat_hash_length" CHECK (octet_length("ping_hash") = 32),
  CONSTRAINT "heartbeat_pause" CHECK ("paused_at" IS NOT NULL OR ("paused_until" IS NULL AND "paused_by" IS NULL AND "pause_note" IS NULL)),
  CONSTRAINT "heartbeat_unheard" CHECK (("unheard_from" IS NULL) = ("unheard_until" IS NULL))
);

CREATE UNIQUE INDEX "heartbeat_name" ON "heartbeat" ("namespace", "name");
CREATE UNIQUE INDEX "heartbeat_ping_hash" ON "heartbeat" ("namespace", "ping_hash");
CREATE INDEX "heartbeat_trouble" ON "heartbeat" ("namespace", "trouble_at") WHERE "trouble_at" IS NOT NULL;

-- The latest pings of each heartbeat.
CREATE TABLE "heartbeat_ping" (
  "namespace"    text NOT NULL,
  "heartbeat_id" uuid NOT NULL,
  "seq"          bigint NOT NULL,
  "at"           timestamptz(3) NOT NULL,
  "kind"         text NOT NULL,
  "exit_status"  integer,
  -- Its run, as the job calls it.
  "rid"          text,
  -- Since the start that it ended.
  "duration_ms"  bigint,
  "method"       text NOT NULL,
  "address"      text,
  -- The first bytes of what came with it, masked.
  "body"         text,
  -- How many bytes came.
  "body_bytes"   integer NOT NULL DEFAULT 0,
  CONSTRAINT "heartbeat_ping_pkey" PRIMARY KEY ("heartbeat_id", "seq"),
  CONSTRAINT "heartbeat_ping_kind_known" CHECK ("kind" IN ('start', 'success', 'fail', 'log')),
  CONSTRAINT "heartbeat_ping_exit_status" CHECK ("exit_status" BETWEEN 0 AND 255),
  CONSTRAINT "heartbeat_ping_body_length" CHECK (octet_length("body") <= 65536)
);

CREATE INDEX "heartbeat_ping_at" ON "heartbeat_ping" ("at");

-- What cron did with lines of crontabs whose tasks are in its shadow: a row for each start, as the line's host has told. See docs/decisions/0090.
CREATE TABLE "cron_report" (
  "namespace"  text NOT NULL,
  -- Made by the host: told twice, it is one report.
  "id"         uuid NOT NULL,
  "line"       text NOT NULL,
  "host"       text NOT NULL,
  "started_at" timestamptz(3) NOT NULL,
  "ended_at"   timestamptz(3),
  "exit_code"  integer,
  "signal"     text,
  "booted_at"  timestamptz(3),
  "told_at"    timestamptz(3) NOT NULL DEFAULT now(),
  -- The start was left to the fleet: the command did not run there.
  "left_to_fleet" boolean NOT NULL DEFAULT false,
  CONSTRAINT "cron_report_pkey" PRIMARY KEY ("namespace", "id")
);

CREATE INDEX "cron_report_line" ON "cron_report" ("namespace", "line", "started_at");
CREATE INDEX "cron_report_told" ON "cron_report" ("told_at");

-- Instants from which on a line of a crontab is run by the other side, cron or the fleet. See docs/decisions/0091.
CREATE TABLE "cron_cutover" (
  "namespace"   text NOT NULL,
  "id"          uuid NOT NULL DEFAULT gen_random_uuid(),
  "line"        text NOT NULL,
  "task_id"     uuid NOT NULL,
  -- It answers.
  "host"        text NOT NULL,
  "to_side"     text NOT NULL,
  "at"          timestamptz(3) NOT NULL,
  "state"       text NOT NULL DEFAULT 'proposed',
  "asked_by"    text NOT NULL,
  "asked_at"    timestamptz(3) NOT NULL DEFAULT now(),
  "reason"      text,
  -- What a person has said in the host's place.
  "settled"     text,
  "settled_by"  text,
  "settled_at"  timestamptz(3),
  -- What the host has said, and when by its clock.
  "answer"      text,
  "answered_at" timestamptz(3),
  CONSTRAINT "cron_cutover_pkey" PRIMARY KEY ("namespace", "id"),
  CONSTRAINT "cron_cutover_to_side" CHECK ("to_side" IN ('cron', 'fleet')),
  CONSTRAINT "cron_cutover_answers" CHECK ("settled" IN ('taken', 'refused') AND "answer" IN ('taken', 'refused')),
  CONSTRAINT "cron_cutover_state" CHECK ("state" = coalesce("answer", "settled", 'proposed')),
  CONSTRAINT "cron_cutover_settled" CHECK (("settled" IS NULL) = ("settled_at" IS NULL) AND ("settled" IS NULL) = ("settled_by" IS NULL)),
  CONSTRAINT "cron_cutover_answered" CHECK (("answer" IS NULL) = ("answered_at" IS NULL))
);

CREATE UNIQUE INDEX "cron_cutover_open" ON "cron_cutover" ("namespace", "line") WHERE "state" = 'proposed';
CREATE INDEX "cron_cutover_line" ON "cron_cutover" ("namespace", "line", "at");

------------------------------------------------------------------------------------------------------------------------
-- Partitions

-- Those of this week and the next three; make_partition makes the later ones. No default partition: with one, each new
-- partition has to wait for all who read it, and everybody else behind that. What is older than the oldest week lies in
-- `run_old` and `attempt_old`, from minus infinity on.
DO $$
DECLARE
  v_table record;
  v_first timestamptz;
  v_from timestamptz;
BEGIN
  FOR v_table IN SELECT * FROM (VALUES
    -- Room on each page for what a begin writes.
    ('run', interval '168 hours', 'WITH (fillfactor = 60)', true),
    ('attempt', interval '168 hours', '', true),
    ('task_hour', interval '168 hours', '', false),
    ('run_log_chunk', interval '24 hours', '', false)) AS t(name, span, storage, has_old)
  LOOP
    -- Weeks begin on Thursdays, as the epoch does.
    v_first := date_bin(v_table.span, now(), timestamptz 'epoch');
    IF v_table.has_old THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (MINVALUE) TO (%L)', v_table.name || '_old', v_table.name, v_first);
    END IF;
    FOR v_from IN SELECT generate_series(v_first, v_first + interval '504 hours', v_table.span) LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L) %s',
        v_table.name || '_p' || to_char(v_from AT TIME ZONE 'UTC', 'YYYYMMDD'), v_table.name, v_from, v_from + v_table.span, v_table.storage);
    END LOOP;
  END LOOP;
END $$;
