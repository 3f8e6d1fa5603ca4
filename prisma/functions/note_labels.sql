-- The labels of a task are those of its definition. By the right of the owner: by labels it is decided who sees a task, so nobody else
-- writes them.
CREATE OR REPLACE FUNCTION "note_labels"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM task_label WHERE task_id = NEW.id;
  INSERT INTO task_label (task_id, namespace, key, value)
  SELECT NEW.id, NEW.namespace, l.key, l.value FROM jsonb_each_text(NEW.definition->'labels') l;
  RETURN NULL;
END $$;
