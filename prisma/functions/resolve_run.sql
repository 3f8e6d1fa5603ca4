-- Ends a run whose fate only a person can tell. p_rerun not null: by a rerun, made in the same transaction.
-- What is known of its last attempt stays with it. Answers as finish_runs; raises ES001 where no rerun can be made.
CREATE OR REPLACE FUNCTION "resolve_run"(
  p_namespace text, p_run uuid, p_scheduled_for timestamptz, p_dispatch integer, p_attempt integer, p_finish_id uuid,
  p_to_state text, p_reason text, p_as text, p_by jsonb,
  p_rerun uuid, p_task_version integer, p_key text
) RETURNS text
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_result text;
BEGIN
  SELECT s.result INTO v_result FROM run r, finish_runs(p_namespace,
    jsonb_build_array(jsonb_build_object('run_id', r.id, 'scheduled_for', r.scheduled_for, 'from_state', 'unknown',
      'dispatch', p_dispatch, 'attempt', p_attempt, 'finish_id', p_finish_id, 'to_state', p_to_state,
      'reason', p_reason, 'exit_code', r.exit_code)
      || CASE WHEN r.error IS NULL THEN '{}' ELSE jsonb_build_object('error', r.error) END
      || CASE WHEN r.output IS NULL THEN '{}' ELSE jsonb_build_object('output', r.output) END)) s
  -- Equivalent mutant (predicate removed, r.namespace): finish_runs leaves runs of another namespace alone.
  WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.namespace = p_namespace AND s.ordinality = 1;
  IF v_result IS DISTINCT FROM 'applied' THEN
    RETURN coalesce(v_result, 'stale');
  END IF;
  INSERT INTO audit (principal_kind, principal_id, principal_name, principal_address, reason, request_id, namespace, action, subject,
    detail)
  SELECT who.*, p_namespace, 'resolve', 'run:' || p_run, jsonb_build_object('as', p_as) FROM acting(p_by) who;
  IF p_rerun IS NOT NULL AND NOT EXISTS (
    SELECT FROM rerun_runs(p_namespace, ARRAY[p_run], ARRAY[p_scheduled_for], ARRAY[p_rerun], ARRAY[p_task_version],
      ARRAY[p_key], true, true, 'rerun', p_by)
  ) THEN
    RAISE EXCEPTION 'run % cannot be rerun: its task has changed meanwhile', p_run USING ERRCODE = 'ES001';
  END IF;
  RETURN v_result;
END $$;
