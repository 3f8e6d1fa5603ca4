-- Of runs that failed before there were such rows. In a transaction of its own: nobody who ends a run waits for it.
INSERT INTO "failure" ("namespace", "run_id", "scheduled_for", "task_id", "finished_at")
SELECT "namespace", "id", "scheduled_for", "task_id", "finished_at" FROM "run"
WHERE "phase" IN ('failed', 'timed_out', 'quarantined') AND "finished_at" IS NOT NULL
ON CONFLICT DO NOTHING;
