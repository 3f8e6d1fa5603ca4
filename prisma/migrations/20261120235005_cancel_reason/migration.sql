-- Who asked for a run to be cancelled, and why.
ALTER TABLE "run" ADD COLUMN "cancel_requested_by" text, ADD COLUMN "cancel_reason" text;

-- The reconciler: runs to be cancelled that no worker has in its hands.
CREATE INDEX "run_cancel_requested" ON "run" ("namespace") WHERE "cancel_requested_at" IS NOT NULL
  AND "state" IN ('planned', 'queued', 'waiting', 'retrying', 'held');
