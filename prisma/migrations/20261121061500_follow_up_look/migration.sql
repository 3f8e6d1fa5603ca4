-- Of a task that nothing follows only a look is left: an insert that inserts nothing costs three times as much, at each start and end.
CREATE OR REPLACE FUNCTION "note_follow_up"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_definition jsonb;
BEGIN
  SELECT v.definition INTO v_definition FROM task_version v
  WHERE v.task_id = NEW.task_id AND v.version = NEW.task_version AND v.follows;
  IF v_definition IS NULL THEN
    RETURN NULL;
  END IF;
  IF v_definition ?| (CASE NEW.state
      WHEN 'running' THEN ARRAY['onStart', 'onLate', 'onMisfire']
      WHEN 'succeeded' THEN ARRAY['then', 'onSuccess', 'onFinish']
      WHEN 'cancelled' THEN ARRAY['then', 'onFinish']
      WHEN 'skipped' THEN ARRAY['then', 'onSkip', 'onFinish']
      WHEN 'missed' THEN ARRAY['onMisfire']
      ELSE ARRAY['then', 'onFailure', 'onFinish'] END) THEN
    INSERT INTO follow_up (namespace, run_id, scheduled_for, task_id, event, detail)
    VALUES (NEW.namespace, NEW.id, NEW.scheduled_for, NEW.task_id, CASE NEW.state WHEN 'running' THEN 'started' ELSE 'ended' END,
      CASE NEW.state WHEN 'running' THEN jsonb_build_object('dueAt', round(extract(epoch FROM NEW.due_at) * 1000)) END);
  END IF;
  RETURN NULL;
END $$;
