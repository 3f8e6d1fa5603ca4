-- How many links of a chain lead to a run: no chain goes on for ever.
ALTER TABLE "run" ADD COLUMN "depth" integer NOT NULL DEFAULT 0;

-- Since when nobody tries to carry a note out any more; it stays, for people.
ALTER TABLE "follow_up" ADD COLUMN "given_up_at" timestamptz(3);
ALTER TABLE "follow_up" ADD CONSTRAINT "follow_up_given_up_has_error" CHECK ("given_up_at" IS NULL OR "error" IS NOT NULL);
DROP INDEX "follow_up_due";
CREATE INDEX "follow_up_due" ON "follow_up" ("namespace", "not_before", "id") WHERE "given_up_at" IS NULL;

-- Only what the definition has something for is noted (core's isNoted has the same rules). Of a start, when the run was due:
-- its next attempt changes that.
CREATE OR REPLACE FUNCTION "note_follow_up"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  INSERT INTO follow_up (namespace, run_id, scheduled_for, task_id, event, detail)
  SELECT NEW.namespace, NEW.id, NEW.scheduled_for, NEW.task_id, CASE NEW.state WHEN 'running' THEN 'started' ELSE 'ended' END,
    CASE NEW.state WHEN 'running' THEN jsonb_build_object('dueAt', round(extract(epoch FROM NEW.due_at) * 1000)) END
  FROM task_version v
  WHERE v.task_id = NEW.task_id AND v.version = NEW.task_version AND v.follows
    AND v.definition ?| CASE NEW.state
      WHEN 'running' THEN ARRAY['onStart', 'onLate', 'onMisfire']
      WHEN 'succeeded' THEN ARRAY['then', 'onSuccess', 'onFinish']
      WHEN 'cancelled' THEN ARRAY['then', 'onFinish']
      WHEN 'skipped' THEN ARRAY['then', 'onSkip', 'onFinish']
      WHEN 'missed' THEN ARRAY['onMisfire']
      ELSE ARRAY['then', 'onFailure', 'onFinish'] END;
  RETURN NULL;
END $$;
