-- Ends a run whose fate only a person can tell. p_rerun not null: by a re-run, made in the same transaction.
-- What is known of its last attempt stays with it. Answers as finish_runs; raises ES001 where no re-run can be made.
CREATE OR REPLACE FUNCTION "resolve_run"(
  p_namespace text, p_run uuid, p_scheduled_for timestamptz, p_dispatch integer, p_attempt integer, p_finish_id uuid,
  p_to_state text, p_reason text, p_as text, p_who text, p_note text,
  p_rerun uuid, p_task_version integer, p_key text
) RETURNS text
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_result text;
BEGIN
  SELECT s.result INTO v_result FROM run r, finish_runs(
    p_run => ARRAY[r.id], p_scheduled_for => ARRAY[r.scheduled_for]::timestamptz[], p_from_state => ARRAY['unknown'],
    p_dispatch => ARRAY[p_dispatch], p_attempt => ARRAY[p_attempt], p_fence => ARRAY[NULL::bigint],
    p_finish_id => ARRAY[p_finish_id], p_to_state => ARRAY[p_to_state], p_reason => ARRAY[p_reason],
    p_retry_at => ARRAY[NULL::timestamptz], p_attempt_outcome => ARRAY[NULL::text], p_lost => ARRAY[false],
    p_spared => ARRAY[false], p_error => ARRAY[r.error], p_output => ARRAY[r.output], p_exit_code => ARRAY[r.exit_code],
    p_blocked_by => ARRAY[NULL::uuid], p_from_end => ARRAY[NULL::boolean]) s
  WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.namespace = p_namespace AND s.ordinality = 1;
  IF v_result IS DISTINCT FROM 'applied' THEN
    RETURN coalesce(v_result, 'stale');
  END IF;
  INSERT INTO audit (namespace, actor, action, subject, reason, detail)
  VALUES (p_namespace, p_who, 'resolve', 'run:' || p_run, p_note, jsonb_build_object('as', p_as));
  IF p_rerun IS NOT NULL AND NOT EXISTS (
    SELECT FROM rerun_runs(p_namespace, ARRAY[p_run], ARRAY[p_scheduled_for], ARRAY[p_rerun], ARRAY[p_task_version],
      ARRAY[p_key], true, true, 'retry', p_who, p_note)
  ) THEN
    RAISE EXCEPTION 'run % cannot be re-run: its task has changed meanwhile', p_run USING ERRCODE = 'ES001';
  END IF;
  RETURN v_result;
END $$;
