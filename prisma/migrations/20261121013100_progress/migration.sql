-- How far a running attempt says it is: attempt, done, total, note, at.
ALTER TABLE "run" ADD COLUMN "progress" jsonb;
