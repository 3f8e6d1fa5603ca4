-- After which release an error was first seen: a worker's row, which tells of its code, is kept for a day after its end.
ALTER TABLE "failure" ADD COLUMN "deployment_id" BIGINT;
