-- The labels of tasks, a row each, so that lists by labels, and those of somebody who may see some tasks only, need not read every
-- definition. Written with the definition (a trigger). An index on the definition would be written each time a task is planned.
-- See docs/decisions/0084.
CREATE TABLE "task_label" (
  "task_id"   uuid NOT NULL,
  "namespace" text NOT NULL,
  "key"       text NOT NULL,
  "value"     text NOT NULL,
  CONSTRAINT "task_label_pkey" PRIMARY KEY ("task_id", "key"),
  CONSTRAINT "task_label_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task" ("id") ON DELETE CASCADE ON UPDATE NO ACTION
);

CREATE INDEX "task_label_value" ON "task_label" ("namespace", "key", "value", "task_id");

CREATE TRIGGER "task_is_labelled" AFTER INSERT ON "task" FOR EACH ROW
  WHEN (NEW."definition" ? 'labels') EXECUTE FUNCTION "note_labels"();
CREATE TRIGGER "task_is_relabelled" AFTER UPDATE OF "definition" ON "task" FOR EACH ROW
  WHEN (NEW."definition"->'labels' IS DISTINCT FROM OLD."definition"->'labels') EXECUTE FUNCTION "note_labels"();

INSERT INTO "task_label" ("task_id", "namespace", "key", "value")
SELECT t."id", t."namespace", l.key, l.value FROM "task" t CROSS JOIN LATERAL jsonb_each_text(t."definition"->'labels') l;
