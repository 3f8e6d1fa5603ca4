-- Rolls up anew the hours of which a run has ended late, at most p_limit notes a call, and deletes the notes. An hour stays as it is once
-- runs of its task may have been deleted from it: what the ledger says of it is not all any more.
-- Says how many notes are done; null: somebody else rolls up.
CREATE OR REPLACE FUNCTION "roll_up_stale"(p_namespace text, p_limit integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_tasks uuid[];
  v_hours timestamptz[];
  v_notes integer;
BEGIN
  PERFORM FROM roll_up u WHERE u.namespace = p_namespace FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  WITH gone AS (
    -- Equivalent mutant (predicate removed): the ids are those of the namespace, and each has one row.
    DELETE FROM task_hour_stale s WHERE s.namespace = p_namespace
      AND s.id IN (SELECT n.id FROM task_hour_stale n WHERE n.namespace = p_namespace ORDER BY n.id LIMIT p_limit)
    RETURNING s.task_id, s.hour
  ), whole AS (
    SELECT DISTINCT g.task_id, g.hour FROM gone g JOIN task t ON t.id = g.task_id
    WHERE g.hour > now() - make_interval(days => least(greatest(coalesce((t.definition->>'retentionDays')::integer, 30), 1), 3650))
  )
  SELECT array_agg(w.task_id), array_agg(w.hour), (SELECT count(*) FROM gone) INTO v_tasks, v_hours, v_notes FROM whole w;
  PERFORM roll_up_tasks(v_tasks, v_hours);
  RETURN v_notes;
END $$;
