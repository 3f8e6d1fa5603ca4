-- How urgent the runs of a task are among those that wait for a worker; null: the task does not say.
ALTER TABLE "task" ADD COLUMN "priority" smallint GENERATED ALWAYS AS (("definition"->>'priority')::smallint) STORED;

-- Pools in which priorities count: jobs of all others go the way without them.
CREATE INDEX "task_priority" ON "task" ("namespace", "pool") WHERE "priority" IS NOT NULL AND "deleted_at" IS NULL;
