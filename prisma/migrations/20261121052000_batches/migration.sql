-- Batches: many runs of a task that one run has asked for. Their items are kept in pages; the runs are made a few at a time,
-- in the order of the items. A batch's id is that of a run of its time whose last four bytes are 0; a child has its place
-- there, from 1, so that the children of a batch lie side by side in the primary key of `run`.
CREATE TABLE "batch" (
  "id"                uuid NOT NULL,
  "namespace"         text NOT NULL,
  "run_id"            uuid NOT NULL,
  "run_scheduled_for" timestamptz(3) NOT NULL,
  -- Tells the batches of a run apart.
  "name"              text NOT NULL,
  "task_id"           uuid NOT NULL,
  -- A template over the item; null: the children share a key of the batch.
  "key"               text,
  -- Children that are open at once.
  "concurrency"       integer NOT NULL,
  "ordering"          text NOT NULL,
  "on_error"          text NOT NULL,
  "join_task"         text,
  "state"             text NOT NULL DEFAULT 'filling',
  -- The attempt of the run that fills it.
  "filled_by"         integer NOT NULL,
  "total"             integer NOT NULL DEFAULT 0,
  "made"              integer NOT NULL DEFAULT 0,
  "succeeded"         integer NOT NULL DEFAULT 0,
  "skipped"           integer NOT NULL DEFAULT 0,
  "failed"            integer NOT NULL DEFAULT 0,
  "cancelled_by"      text,
  "reason"            text,
  -- Also the scheduled_for of its children.
  "created_at"        timestamptz(3) NOT NULL,
  "advanced_at"       timestamptz(3) NOT NULL DEFAULT now(),
  "ended_at"          timestamptz(3),
  CONSTRAINT "batch_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "batch_state_known" CHECK ("state" IN ('filling', 'running', 'stopping', 'cancelling', 'done', 'cancelled')),
  CONSTRAINT "batch_ordering_known" CHECK ("ordering" IN ('none', 'start', 'series')),
  CONSTRAINT "batch_on_error_known" CHECK ("on_error" IN ('continue', 'stop')),
  CONSTRAINT "batch_concurrency_positive" CHECK ("concurrency" >= 1),
  CONSTRAINT "batch_counts_fit" CHECK ("succeeded" + "skipped" + "failed" <= "made" AND "made" <= "total"),
  CONSTRAINT "batch_end_has_time" CHECK (("ended_at" IS NOT NULL) = ("state" IN ('done', 'cancelled')))
) WITH (fillfactor = 50);

CREATE UNIQUE INDEX "batch_run_name" ON "batch" ("run_id", "name");
CREATE INDEX "batch_open" ON "batch" ("namespace", "advanced_at") WHERE "state" IN ('filling', 'running', 'stopping', 'cancelling');

-- The items of a batch that have no run yet, up to 100 in a row.
CREATE TABLE "batch_page" (
  "batch_id" uuid NOT NULL,
  "first"    integer NOT NULL,
  "items"    jsonb NOT NULL,
  CONSTRAINT "batch_page_pkey" PRIMARY KEY ("batch_id", "first")
);

-- Children that have ended and are not counted yet. No foreign key: it would have the ends of runs wait for their batch.
CREATE TABLE "batch_note" (
  "id"       bigint GENERATED ALWAYS AS IDENTITY,
  "batch_id" uuid NOT NULL,
  "state"    text NOT NULL,
  CONSTRAINT "batch_note_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "batch_note_batch" ON "batch_note" ("batch_id");

ALTER TABLE "run" ADD COLUMN "batch_id" uuid;

-- Noted by the write that ends the child, whichever way it came: nobody can forget it, and a crash neither loses nor doubles it.
CREATE FUNCTION "note_batch_child"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO batch_note (batch_id, state) VALUES (NEW.batch_id, NEW.state);
  RETURN NULL;
END $$;
CREATE TRIGGER "run_batch_child" AFTER UPDATE OF "state" ON "run" FOR EACH ROW
  WHEN (NEW."batch_id" IS NOT NULL AND OLD."state" <> NEW."state" AND NEW."state" IN ('succeeded', 'failed', 'timed_out',
    'cancelled', 'quarantined', 'skipped', 'missed', 'superseded'))
  EXECUTE FUNCTION "note_batch_child"();

-- Who cancels a run cancels what it has fanned out. Their children are asked later: here they would be locked out of order.
CREATE FUNCTION "cancel_batches_of"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  UPDATE batch b SET state = 'cancelling', cancelled_by = NEW.cancel_requested_by,
    reason = 'run ' || NEW.id || ', which had asked for it, was cancelled'
  WHERE b.run_id = NEW.id AND b.state IN ('filling', 'running', 'stopping');
  RETURN NULL;
END $$;
CREATE TRIGGER "run_cancels_batches" AFTER UPDATE OF "state" ON "run" FOR EACH ROW
  WHEN (NEW."state" = 'cancelled' AND OLD."state" <> 'cancelled') EXECUTE FUNCTION "cancel_batches_of"();

CREATE FUNCTION "batch_child"(p_batch uuid, p_index integer) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (left(p_batch::text, 28) || lpad(to_hex(p_index + 1), 8, '0'))::uuid;
$$;

-- Counts the children of a batch that have ended since the last time. Who counts deletes what it has counted, under the lock
-- of the batch: each is counted once.
CREATE FUNCTION "count_batch"(p_batch uuid) RETURNS SETOF "batch" LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_ended record;
BEGIN
  PERFORM FROM batch b WHERE b.id = p_batch FOR UPDATE;
  -- A statement of its own, which sees what was noted while this one waited for the lock.
  WITH gone AS (DELETE FROM batch_note n WHERE n.batch_id = p_batch RETURNING n.state)
  SELECT count(*) FILTER (WHERE g.state = 'succeeded') AS succeeded, count(*) FILTER (WHERE g.state = 'skipped') AS skipped,
    count(*) FILTER (WHERE g.state NOT IN ('succeeded', 'skipped')) AS failed
  INTO v_ended FROM gone g;
  RETURN QUERY
    UPDATE batch b SET succeeded = b.succeeded + v_ended.succeeded, skipped = b.skipped + v_ended.skipped,
      failed = b.failed + v_ended.failed, advanced_at = now(),
      state = CASE WHEN b.state = 'running' AND b.on_error = 'stop' AND b.failed + v_ended.failed > 0 AND b.made < b.total
        THEN 'stopping' ELSE b.state END,
      reason = CASE WHEN b.state = 'running' AND b.on_error = 'stop' AND b.failed + v_ended.failed > 0 AND b.made < b.total
        THEN 'an item has failed' ELSE b.reason END
    WHERE b.id = p_batch RETURNING b.*;
END $$;

-- Makes the next children of a batch, in the order of its items, if nobody has made them meanwhile (p_made). p_keys: of each;
-- null: the batch's own. They are queued; the caller adds their jobs, what it leaves out the reconciler adds.
CREATE FUNCTION "make_children"(p_batch uuid, p_made integer, p_count integer, p_keys text[]) RETURNS TABLE (
  "id" uuid, "scheduled_for" timestamptz, "pool" text, "due_at" timestamptz, "dispatch" integer
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_batch batch%ROWTYPE;
BEGIN
  UPDATE batch b SET made = made + p_count, advanced_at = now()
  WHERE b.id = p_batch AND b.made = p_made AND b.state = 'running' AND p_made + p_count <= b.total
    AND EXISTS (SELECT FROM task t WHERE t.id = b.task_id AND t.deleted_at IS NULL)
  RETURNING b.* INTO v_batch;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  RETURN QUERY
    INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap,
      pool, due_at, start_by, dispatch, payload, cause_run_id, batch_id)
    SELECT batch_child(v_batch.id, g.index), v_batch.created_at, t.namespace, t.id, t.version, t.plan_epoch, 'chain', 'queued',
      coalesce(p_keys[g.index - p_made + 1], 'batch:' || v_batch.id),
      CASE WHEN p_keys IS NULL THEN v_batch.concurrency ELSE t.key_limit END,
      CASE WHEN v_batch.ordering = 'none' AND (p_keys IS NULL OR t.overlap = 'allow') THEN 'allow' ELSE 'wait-all' END,
      t.pool, now(), now() + t.start_deadline_ms * interval '1 ms', 1, i.item, v_batch.run_id, v_batch.id
    FROM generate_series(p_made, p_made + p_count - 1) AS g(index)
    JOIN task t ON t.id = v_batch.task_id
    CROSS JOIN LATERAL (SELECT p.items -> (g.index - p.first) AS item FROM batch_page p
      WHERE p.batch_id = v_batch.id AND p.first <= g.index ORDER BY p.first DESC LIMIT 1) i
    ORDER BY g.index
    RETURNING id, scheduled_for, pool, due_at, dispatch;
  -- Pages have at most 100 items.
  DELETE FROM batch_page p WHERE p.batch_id = v_batch.id AND p.first <= v_batch.made - 100;
END $$;
