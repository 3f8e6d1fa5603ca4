-- Whoever triggered the run gave it its key: a re-run keeps that. A constant default rewrites no row.
ALTER TABLE "run" ADD COLUMN "own_key" boolean NOT NULL DEFAULT false;
