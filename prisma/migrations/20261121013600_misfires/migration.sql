-- What the planner reads of the definition besides the schedule: misfire threshold, catch-up, calendars.
ALTER TABLE "task" ADD COLUMN "rules" jsonb NOT NULL DEFAULT '{}';
-- How many of its occurrences have been handed on to run, for schedules that end after so many.
ALTER TABLE "task" ADD COLUMN "planned_runs" integer NOT NULL DEFAULT 0;
-- What has not begun by then is a misfire: it does not begin before the task's catch-up policy has judged it.
ALTER TABLE "run" ADD COLUMN "misfire_at" timestamptz(3);
