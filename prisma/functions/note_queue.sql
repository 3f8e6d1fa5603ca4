-- The queue that the runs of a task go to is known from then on. By the right of the owner: nobody else writes them.
CREATE OR REPLACE FUNCTION "note_queue"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO task_queue (namespace, queue) VALUES (NEW.namespace, queue_of(NEW.pool, NEW.need)) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
