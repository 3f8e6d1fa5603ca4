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

INSERT INTO "task_plan" ("task_id", "namespace", "plan_seq", "next_run_at", "plan_after", "plan_error", "plan_failures", "planned_runs")
SELECT "id", "namespace", "plan_seq", "next_run_at", "plan_after", CASE WHEN "deleted_at" IS NULL THEN "plan_error" END, "plan_failures", "planned_runs"
FROM "task";

-- What the planner asks for: due, and not backing off after an error.
CREATE INDEX "task_plan_due" ON "task_plan" ("namespace", "plan_at") WHERE "next_run_at" IS NOT NULL;
-- Those that cannot be planned: they are counted every few seconds.
CREATE INDEX "task_plan_failing" ON "task_plan" ("namespace") WHERE "plan_error" IS NOT NULL;

-- With their indexes, and the check that a deleted task is not due.
ALTER TABLE "task" DROP COLUMN "plan_at", DROP COLUMN "next_run_at", DROP COLUMN "plan_after", DROP COLUMN "plan_seq", DROP COLUMN "plan_error",
  DROP COLUMN "plan_failures", DROP COLUMN "planned_runs";

-- The longest retention of any task says which partitions may go. Reading a million definitions for it took over a second, several times an hour.
CREATE INDEX "task_retention" ON "task" ((("definition"->>'retentionDays')::integer));
