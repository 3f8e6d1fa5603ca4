-- A deletion is final for the runs that are there: to save the name again brings the task back, and none of them.
ALTER TABLE "task"
  ADD COLUMN "since_epoch" integer NOT NULL DEFAULT 0,
  ADD COLUMN "ends_runs" boolean NOT NULL DEFAULT false;
UPDATE "task" SET "since_epoch" = "plan_epoch", "ends_runs" = true WHERE "deleted_at" IS NOT NULL;

-- Schedulers look for such tasks each second.
CREATE INDEX "task_ends_runs" ON "task" ("namespace") WHERE "ends_runs";
