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
  CONSTRAINT "failure_pkey" PRIMARY KEY ("namespace", "run_id")
);

-- Ids of runs are in the order in which the runs were due.
CREATE INDEX "failure_task" ON "failure" ("task_id", "run_id");
CREATE INDEX "failure_fingerprint" ON "failure" ("namespace", "fingerprint", "run_id");
CREATE INDEX "failure_ungrouped" ON "failure" ("namespace", "run_id") WHERE "fingerprint" IS NULL;

CREATE TRIGGER "run_failed_for_good" AFTER UPDATE ON "run" FOR EACH ROW
  WHEN (NEW."state" IN ('failed', 'timed_out', 'quarantined') AND OLD."state" <> NEW."state")
  EXECUTE FUNCTION "note_failure"();
