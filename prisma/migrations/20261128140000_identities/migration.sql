-- Which Redis serves a namespace: an id that is kept in that Redis, not its address. See docs/decisions/0125.
ALTER TABLE "queue_watch" ADD COLUMN "redis_id" text;

-- What each program has found in its Redis, and when: a namespace moves to another Redis when no program sees the old one any more.
ALTER TABLE "process" ADD COLUMN "redis_id" text;
ALTER TABLE "process" ADD COLUMN "redis_read_at" timestamptz(3);

-- A sign of life that nobody gives to a copy of the ledger. See docs/decisions/0093.
ALTER TABLE "ledger_origin" ADD COLUMN "alive_at" timestamptz(3);
