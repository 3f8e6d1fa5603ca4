-- Rows that wait for their ticks are `planned`, and many: the dispatcher looks for the others by an index without them.
CREATE INDEX "run_untold" ON "run" ("namespace", "due_at")
  WHERE "state" = 'retrying' OR "state" = 'planned' AND "origin" <> 'schedule';

CREATE INDEX "task_interval" ON "task" ("namespace", (("schedule"->>'everyMs')::bigint), "id")
  WHERE "schedule"->>'kind' = 'every' AND "deleted_at" IS NULL;
