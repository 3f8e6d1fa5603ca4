-- Ranges of occurrences that somebody wants run after the fact. The scheduler makes their rows a few at a time.
CREATE TABLE "backfill" (
  "id"           uuid NOT NULL DEFAULT gen_random_uuid(),
  "namespace"    text NOT NULL,
  "task_id"      uuid NOT NULL,
  -- Both ends belong to it.
  "from_at"      timestamptz(3) NOT NULL,
  "to_at"        timestamptz(3) NOT NULL,
  "reprocess"    text NOT NULL,
  -- Runs of it that are open at once.
  "concurrency"  integer NOT NULL,
  "reverse"      boolean NOT NULL,
  "state"        text NOT NULL DEFAULT 'running',
  -- Grows with each step: of two schedulers one goes on.
  "seq"          integer NOT NULL DEFAULT 0,
  -- The last occurrence that was gone through.
  "cursor_at"    timestamptz(3),
  "made"         integer NOT NULL DEFAULT 0,
  "kept"         integer NOT NULL DEFAULT 0,
  "error"        text,
  "requested_by" text NOT NULL,
  "created_at"   timestamptz(3) NOT NULL DEFAULT now(),
  "ended_at"     timestamptz(3),
  CONSTRAINT "backfill_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "backfill_state_known" CHECK ("state" IN ('running', 'stopped', 'done')),
  CONSTRAINT "backfill_reprocess_known" CHECK ("reprocess" IN ('none', 'failed', 'all')),
  CONSTRAINT "backfill_concurrency_positive" CHECK ("concurrency" >= 1),
  CONSTRAINT "backfill_range_is_one" CHECK ("from_at" <= "to_at"),
  CONSTRAINT "backfill_end_has_time" CHECK (("ended_at" IS NOT NULL) = ("state" <> 'running'))
);

CREATE INDEX "backfill_running" ON "backfill" ("namespace") WHERE "state" = 'running';

ALTER TABLE "run" ADD COLUMN "backfill_id" uuid;

CREATE INDEX "run_backfill" ON "run" ("backfill_id", "state") WHERE "backfill_id" IS NOT NULL;
