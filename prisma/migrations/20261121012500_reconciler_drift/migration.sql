-- Who does the pass, and until when others leave it to him: a pass with much to do may take longer than the interval.
ALTER TABLE "gate" ADD COLUMN "holder" text, ADD COLUMN "held_until" timestamptz(3);

-- How the ledger knows the Redis that it filled. One row a namespace.
CREATE TABLE "queue_watch" (
  "namespace" text NOT NULL,
  -- What was last written into Redis, and the run id of the server that took it: an older value, none, or another
  -- server mean that jobs may be gone.
  "marker"    text NOT NULL,
  "server"    text NOT NULL,
  -- Grows with each doubt; all is compared, up to the end, until `checked` has reached it.
  "doubt"     integer NOT NULL DEFAULT 1,
  "checked"   integer NOT NULL DEFAULT 0,
  CONSTRAINT "queue_watch_pkey" PRIMARY KEY ("namespace"),
  CONSTRAINT "queue_watch_checked_what_was_doubted" CHECK ("checked" <= "doubt")
) WITH (fillfactor = 50);

-- What the reconciler had to put right: the last time, and ever.
CREATE TABLE "drift" (
  "namespace" text NOT NULL,
  "kind"      text NOT NULL,
  "found_at"  timestamptz(3) NOT NULL,
  "found"     integer NOT NULL,
  "total"     bigint NOT NULL,
  CONSTRAINT "drift_pkey" PRIMARY KEY ("namespace", "kind")
) WITH (fillfactor = 50);
