-- A run has failed for good: it is counted with those that failed alike.
CREATE OR REPLACE FUNCTION "note_failure"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO failure (namespace, run_id, scheduled_for, task_id, finished_at)
  VALUES (NEW.namespace, NEW.id, NEW.scheduled_for, NEW.task_id, NEW.finished_at);
  RETURN NULL;
END $$;
