-- How many tasks each pool has, by what they need of a worker: counted from the index alone, whatever a definition is long.
CREATE INDEX "task_pool" ON "task" ("namespace", "pool", "need") WHERE "deleted_at" IS NULL;
