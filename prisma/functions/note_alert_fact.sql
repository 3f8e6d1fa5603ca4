-- A run has failed for good, or was missed: whoever judges by the rules of alerts is to look at it.
CREATE OR REPLACE FUNCTION "note_alert_fact"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO alert_fact (namespace, kind, run_id, scheduled_for, task_id)
  VALUES (NEW.namespace, 'run', NEW.id, NEW.scheduled_for, NEW.task_id);
  RETURN NULL;
END $$;
