-- p_finishes: as in finish_runs. The runs whose state somebody else has changed since they read it. Locks the states, so that nobody does until the end.
CREATE OR REPLACE FUNCTION "state_conflicts"(p_namespace text, p_finishes jsonb) RETURNS uuid[]
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_conflicts uuid[];
BEGIN
  PERFORM FROM task_state s
  JOIN (SELECT r.task_id, r.key
    FROM jsonb_to_recordset(p_finishes) AS i(run_id uuid, scheduled_for timestamptz, effects jsonb)
    JOIN any_run r ON r.id = i.run_id AND r.scheduled_for = i.scheduled_for AND r.namespace = p_namespace WHERE i.effects ? 'state') c
    ON c.task_id = s.task_id AND c.key = s.key
  ORDER BY s.task_id, s.key FOR UPDATE OF s;
  SELECT array_agg(r.id) INTO v_conflicts
  FROM jsonb_to_recordset(p_finishes) AS i(run_id uuid, scheduled_for timestamptz, effects jsonb)
  JOIN any_run r ON r.id = i.run_id AND r.scheduled_for = i.scheduled_for AND r.namespace = p_namespace
  LEFT JOIN task_state s ON s.task_id = r.task_id AND s.key = r.key
  WHERE i.effects ? 'state' AND coalesce(s.version, 0) <> (i.effects->'state'->>'version')::bigint;
  RETURN coalesce(v_conflicts, '{}');
END $$;
