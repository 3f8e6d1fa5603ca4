-- A change that waits for its time is of the version that it was given for: what others change meanwhile is not taken back.
ALTER TABLE "task_change" ADD COLUMN "based_on" INTEGER;
