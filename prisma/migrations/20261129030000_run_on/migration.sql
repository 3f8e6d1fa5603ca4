-- `runOn: every-worker` of a task was called `spread`, and `staggerMs` of its catch-up policy `spreadMs`.
ALTER TABLE "spread_occurrence" RENAME TO "occurrence_workers";
ALTER TABLE "occurrence_workers" RENAME CONSTRAINT "spread_occurrence_pkey" TO "occurrence_workers_pkey";

UPDATE "task" SET "rules" = "rules" - 'spread' || jsonb_build_object('runOn', "rules"->'spread') WHERE "rules" ? 'spread';
UPDATE "task" SET "definition" = "definition" - 'spread' || jsonb_build_object('runOn', "definition"->'spread') WHERE "definition" ? 'spread';
UPDATE "task_version" SET "definition" = "definition" - 'spread' || jsonb_build_object('runOn', "definition"->'spread') WHERE "definition" ? 'spread';

UPDATE "task" SET "rules" = jsonb_set("rules" #- '{catchUp,spreadMs}', '{catchUp,staggerMs}', "rules" #> '{catchUp,spreadMs}')
WHERE "rules" #> '{catchUp,spreadMs}' IS NOT NULL;
UPDATE "task" SET "definition" = jsonb_set("definition" #- '{catchUp,spreadMs}', '{catchUp,staggerMs}', "definition" #> '{catchUp,spreadMs}')
WHERE "definition" #> '{catchUp,spreadMs}' IS NOT NULL;
UPDATE "task_version" SET "definition" = jsonb_set("definition" #- '{catchUp,spreadMs}', '{catchUp,staggerMs}', "definition" #> '{catchUp,spreadMs}')
WHERE "definition" #> '{catchUp,spreadMs}' IS NOT NULL;

DROP INDEX "task_spread";
CREATE INDEX "task_on_every_worker" ON "task" ("namespace", "pool") WHERE "rules" ? 'runOn';
