-- Work-lists: items that runs of any task take one after the other, across the fleet.
CREATE TABLE "work_list" (
  "namespace" text NOT NULL,
  "name"      text NOT NULL,
  -- Of the next item that is added. Who adds locks the row until its items are there: places are in the order of commits.
  "next"      bigint NOT NULL DEFAULT 0,
  CONSTRAINT "work_list_pkey" PRIMARY KEY ("namespace", "name")
);

CREATE TABLE "work_item" (
  "namespace" text NOT NULL,
  "list"      text NOT NULL,
  "place"     bigint NOT NULL,
  "item"      jsonb NOT NULL,
  -- Who has taken it; null: nobody. An item that is confirmed is deleted.
  "run_id"    uuid,
  "taken_at"  timestamptz(3),
  CONSTRAINT "work_item_pkey" PRIMARY KEY ("namespace", "list", "place"),
  CONSTRAINT "work_item_taken_has_time" CHECK (("run_id" IS NULL) = ("taken_at" IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX "work_item_free" ON "work_item" ("namespace", "list", "place") WHERE "run_id" IS NULL;
CREATE INDEX "work_item_taken" ON "work_item" ("run_id") WHERE "run_id" IS NOT NULL;

-- How many items a run has added to a list: a retry that adds them again adds none twice.
CREATE TABLE "work_list_fill" (
  "run_id"    uuid NOT NULL,
  "namespace" text NOT NULL,
  "list"      text NOT NULL,
  "added"     integer NOT NULL,
  CONSTRAINT "work_list_fill_pkey" PRIMARY KEY ("run_id", "list")
);

-- Whether a run has taken items, so that only the ends of such runs cost a look.
ALTER TABLE "run" ADD COLUMN "takes" boolean NOT NULL DEFAULT false;

-- The success of a run confirms what it has taken last; any other end of an attempt gives it back to its place. What became of
-- a run that is unknown somebody will say.
CREATE FUNCTION "settle_taken"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF NEW.state = 'succeeded' THEN
    DELETE FROM work_item i WHERE i.run_id = NEW.id;
  ELSE
    UPDATE work_item i SET run_id = NULL, taken_at = NULL WHERE i.run_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "run_settles_taken" AFTER UPDATE OF "state" ON "run" FOR EACH ROW
  WHEN (NEW."takes" AND OLD."state" IN ('running', 'unknown') AND NEW."state" NOT IN ('running', 'unknown'))
  EXECUTE FUNCTION "settle_taken"();

-- Hands a run the next item of a list. p_done: the place of the one before, which is confirmed by it; null: there is none. An
-- item whose answer was lost is handed out to the same run again. The run is locked: it cannot be taken for lost meanwhile.
CREATE FUNCTION "take_item"(p_run uuid, p_scheduled_for timestamptz, p_attempt integer, p_fence bigint, p_namespace text,
  p_list text, p_done bigint) RETURNS TABLE ("current" boolean, "place" bigint, "item" jsonb)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_next bigint;
BEGIN
  PERFORM FROM run r WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.state = 'running' FOR NO KEY UPDATE;
  IF NOT FOUND OR NOT run_is_current(p_run, p_scheduled_for, p_attempt, p_fence) THEN
    RETURN QUERY SELECT false, NULL::bigint, NULL::jsonb;
    RETURN;
  END IF;
  UPDATE run r SET takes = true WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND NOT r.takes;
  DELETE FROM work_item i WHERE i.namespace = p_namespace AND i.list = p_list AND i.place = p_done AND i.run_id = p_run;
  RETURN QUERY SELECT true, i.place, i.item FROM work_item i
    WHERE i.run_id = p_run AND i.namespace = p_namespace AND i.list = p_list;
  IF FOUND THEN
    RETURN;
  END IF;
  -- In a statement of its own: as a part of the update it might be carried out for each of its rows.
  SELECT f.place INTO v_next FROM work_item f WHERE f.namespace = p_namespace AND f.list = p_list AND f.run_id IS NULL
  ORDER BY f.place LIMIT 1 FOR UPDATE SKIP LOCKED;
  RETURN QUERY UPDATE work_item i SET run_id = p_run, taken_at = now()
    WHERE i.namespace = p_namespace AND i.list = p_list AND i.place = v_next
    RETURNING true, i.place, i.item;
  IF NOT FOUND THEN
    RETURN QUERY SELECT true, NULL::bigint, NULL::jsonb;
  END IF;
END $$;

-- Adds items to the end of a list. p_run: null, or the run that adds, and then p_first how many it has added before these:
-- what an earlier attempt has added is not added again.
CREATE FUNCTION "add_to_list"(p_namespace text, p_list text, p_items jsonb, p_run uuid, p_first integer) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_skip integer := 0;
  v_count integer := jsonb_array_length(p_items);
  v_next bigint;
BEGIN
  IF p_run IS NOT NULL THEN
    INSERT INTO work_list_fill AS f (run_id, namespace, list, added) VALUES (p_run, p_namespace, p_list, 0)
    ON CONFLICT (run_id, list) DO UPDATE SET added = f.added RETURNING f.added - p_first INTO v_skip;
    v_skip := least(greatest(v_skip, 0), v_count);
    UPDATE work_list_fill f SET added = greatest(f.added, p_first + v_count) WHERE f.run_id = p_run AND f.list = p_list;
  END IF;
  IF v_skip = v_count THEN
    RETURN 0;
  END IF;
  INSERT INTO work_list AS l (namespace, name, next) VALUES (p_namespace, p_list, v_count - v_skip)
  ON CONFLICT (namespace, name) DO UPDATE SET next = l.next + excluded.next
  RETURNING l.next - (v_count - v_skip) INTO v_next;
  INSERT INTO work_item (namespace, list, place, item)
  SELECT p_namespace, p_list, v_next + e.ord - v_skip - 1, e.item
  FROM jsonb_array_elements(p_items) WITH ORDINALITY AS e(item, ord) WHERE e.ord > v_skip;
  RETURN v_count - v_skip;
END $$;
