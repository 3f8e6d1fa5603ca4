-- What others want to hear of a run: its batch, its own batches, the lists that it took items of, its followers. Noted by the
-- write that changes the run, whichever way it came: nobody can forget it, and a crash neither loses nor doubles it.
-- Who cancels a run cancels what it has fanned out. The children are asked later: here they would be locked out of order.
-- The success of a run confirms what it has taken last; any other end of an attempt gives it back to its place. What became of
-- a run that is unknown somebody will say.
-- Of followers only what the definition has something for is noted (core's isNoted has the same rules). Of a start, when the
-- run was due: its next attempt changes that. Of a task that nothing follows only a look is left: an insert that inserts
-- nothing costs three times as much, at each start and end.
CREATE OR REPLACE FUNCTION "note_run_change"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_definition jsonb;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.batch_id IS NOT NULL AND NEW.finished_at IS NOT NULL THEN
      INSERT INTO batch_note (batch_id, state) VALUES (NEW.batch_id, NEW.state);
    END IF;
    IF NEW.state = 'cancelled' THEN
      UPDATE batch b SET state = 'cancelling', cancelled_by = NEW.cancel_requested_by,
        reason = 'run ' || NEW.id || ', which had asked for it, was cancelled'
      WHERE b.run_id = NEW.id AND b.state IN ('filling', 'running', 'stopping');
    END IF;
    IF NEW.takes AND OLD.state IN ('running', 'unknown') AND NEW.state NOT IN ('running', 'unknown') THEN
      IF NEW.state = 'succeeded' THEN
        DELETE FROM work_item i WHERE i.run_id = NEW.id;
      ELSE
        UPDATE work_item i SET run_id = NULL, taken_at = NULL WHERE i.run_id = NEW.id;
      END IF;
    END IF;
  END IF;
  IF NOT NEW.watched OR NEW.state = 'superseded' OR NEW.finished_at IS NULL AND (NEW.state <> 'running' OR NEW.attempt <> 1) THEN
    RETURN NULL;
  END IF;
  SELECT v.definition INTO v_definition FROM task_version v
  WHERE v.task_id = NEW.task_id AND v.version = NEW.task_version AND v.follows;
  IF v_definition IS NOT NULL AND v_definition ?| (CASE NEW.state
      WHEN 'running' THEN ARRAY['onStart', 'onLate', 'onMisfire']
      WHEN 'succeeded' THEN ARRAY['then', 'onSuccess', 'onFinish']
      WHEN 'cancelled' THEN ARRAY['then', 'onFinish']
      WHEN 'skipped' THEN ARRAY['then', 'onSkip', 'onFinish']
      WHEN 'missed' THEN ARRAY['onMisfire']
      ELSE ARRAY['then', 'onFailure', 'onFinish'] END) THEN
    INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event, detail)
    VALUES (NEW.namespace, NEW.id, NEW.scheduled_for, NEW.task_id, CASE NEW.state WHEN 'running' THEN 'started' ELSE 'finished' END,
      CASE NEW.state WHEN 'running' THEN jsonb_build_object('dueAt', round(extract(epoch FROM NEW.due_at) * 1000)) END);
  END IF;
  RETURN NULL;
END $$;
