-- Tasks that never fire are looked for among those that have no occurrence ahead, not among all.
CREATE INDEX "task_plan_without_next" ON "task_plan" ("namespace", "task_id") WHERE "next_run_at" IS NULL;
