-- Tasks that ask again and again for a next run in the past are named to people.
ALTER TABLE "task_pause" ADD COLUMN "asked_late" boolean NOT NULL DEFAULT false;
