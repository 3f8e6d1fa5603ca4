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

INSERT INTO "task_queue" ("namespace", "queue") SELECT DISTINCT t."namespace", t."pool" || coalesce('+' || t."need", '') FROM "task" t;
