-- How late a run may start for the first time: on the task as part of its definition, on the run as an instant.
ALTER TABLE "task" ADD COLUMN "start_deadline_ms" bigint GENERATED ALWAYS AS (("definition"->>'startDeadlineMs')::bigint) STORED;
ALTER TABLE "run" ADD COLUMN "start_by" timestamptz(3);

-- The reconciler: runs that did not start in time.
CREATE INDEX "run_start_by" ON "run" ("namespace", "start_by") WHERE "start_by" IS NOT NULL
  AND "state" IN ('planned', 'queued', 'waiting');
