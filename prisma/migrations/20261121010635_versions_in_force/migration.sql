-- When each version of a task said what was due: the audit recomputes from it what should have happened.
ALTER TABLE "task_version"
  ADD COLUMN "effective_at" timestamptz(3) NOT NULL DEFAULT now(),
  ADD COLUMN "ended_at" timestamptz(3);

UPDATE "task_version" SET "effective_at" = "created_at";
UPDATE "task_version" v SET "ended_at" = n."created_at" FROM "task_version" n
  WHERE n."task_id" = v."task_id" AND n."version" = v."version" + 1;
UPDATE "task_version" v SET "ended_at" = t."deleted_at" FROM "task" t
  WHERE t."id" = v."task_id" AND t."version" = v."version" AND t."deleted_at" IS NOT NULL;

ALTER TABLE "task_version" ADD CONSTRAINT "task_version_ends_after_start" CHECK ("ended_at" >= "effective_at");
