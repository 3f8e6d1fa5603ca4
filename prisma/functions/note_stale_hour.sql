-- A run has ended in a later hour than it was due in: its hour is rolled up anew.
CREATE OR REPLACE FUNCTION "note_stale_hour"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO task_hour_stale (namespace, task_id, hour)
  VALUES (NEW.namespace, NEW.task_id, date_bin(interval '1 hour', NEW.scheduled_for, timestamptz 'epoch'));
  RETURN NULL;
END $$;
