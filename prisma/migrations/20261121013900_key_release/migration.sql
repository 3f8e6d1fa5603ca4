-- As before; but a re-run waits for its key in any case. A person wants it: many of one key would else skip each other.
CREATE OR REPLACE FUNCTION "rerun_runs"(
  p_namespace text, p_run uuid[], p_scheduled_for timestamptz[], p_rerun uuid[], p_task_version integer[], p_key text[],
  p_current boolean, p_once boolean, p_action text, p_who text, p_reason text
) RETURNS TABLE ("run_id" uuid, "rerun_id" uuid) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM unnest(p_run, p_scheduled_for) AS i(id, scheduled_for)
  JOIN run r ON r.id = i.id AND r.scheduled_for = i.scheduled_for
  WHERE r.namespace = p_namespace
  ORDER BY r.namespace, r.key, r.id
  FOR UPDATE OF r;

  RETURN QUERY
  WITH made AS (
    INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
      overlap, pool, due_at, payload, requested_by, rerun_of)
    SELECT i.rerun_id, r.scheduled_for, r.namespace, r.task_id, i.task_version, t.plan_epoch, 'rerun', 'planned', i.key,
      t.key_limit, CASE t.overlap WHEN 'allow' THEN 'allow' ELSE 'wait-all' END, t.pool, now(), r.payload, p_who, r.id
    FROM unnest(p_run, p_scheduled_for, p_rerun, p_task_version, p_key)
      AS i(run_id, scheduled_for, rerun_id, task_version, key)
    JOIN run r ON r.id = i.run_id AND r.scheduled_for = i.scheduled_for
    JOIN task t ON t.id = r.task_id AND t.deleted_at IS NULL
    WHERE r.namespace = p_namespace AND r.finished_at IS NOT NULL AND r.until_at IS NULL
      AND (NOT p_current OR t.version = i.task_version)
      AND NOT EXISTS (SELECT FROM run o WHERE o.rerun_of = r.id AND (p_once OR o.finished_at IS NULL))
    RETURNING id, rerun_of
  ), noted AS (
    INSERT INTO audit (namespace, actor, action, subject, reason, detail)
    SELECT p_namespace, p_who, p_action, 'run:' || m.rerun_of, p_reason, jsonb_build_object('rerun', m.id) FROM made m
  )
  SELECT m.rerun_of, m.id FROM made m;
  PERFORM pg_notify('escapement_wake', p_namespace);
END $$;

-- As before; settle_runs may answer with more rows than it was given runs.
CREATE OR REPLACE FUNCTION "resolve_run"(
  p_namespace text, p_run uuid, p_scheduled_for timestamptz, p_dispatch integer, p_attempt integer, p_settle_id uuid,
  p_to_state text, p_reason text, p_as text, p_who text, p_note text,
  p_rerun uuid, p_task_version integer, p_key text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_result text;
BEGIN
  SELECT s.result INTO v_result FROM run r, settle_runs(
    p_run => ARRAY[r.id], p_scheduled_for => ARRAY[r.scheduled_for]::timestamptz[], p_from_state => ARRAY['unknown'],
    p_dispatch => ARRAY[p_dispatch], p_attempt => ARRAY[p_attempt], p_fence => ARRAY[NULL::bigint],
    p_settle_id => ARRAY[p_settle_id], p_to_state => ARRAY[p_to_state], p_reason => ARRAY[p_reason],
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

-- Takes a slot from the run that was seen on it under the fence that was seen: raises the fence, so that no result of the
-- old holder is accepted, ends its run where that is open, and gives the slot to the next in line. A null fence in the
-- answer: run or slot have changed, nothing was done. `woken`: the runs of the line, whose jobs the caller adds.
CREATE FUNCTION "release_key_slot"(
  p_namespace text, p_key text, p_slot integer, p_run uuid, p_scheduled_for timestamptz, p_fence bigint,
  p_settle_id uuid, p_reason text, p_who text, p_note text, p_cancel_channel text
) RETURNS TABLE ("fence" bigint, "cancelled" boolean, "woken" jsonb) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_run run%ROWTYPE;
  v_worker text;
  v_fence bigint;
  v_cancelled boolean;
  v_woken jsonb := '[]';
BEGIN
  -- Runs before slots, as in every statement.
  SELECT r.* INTO v_run FROM run r WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for FOR UPDATE;
  UPDATE key_slot s SET fence = s.fence + 1
  WHERE s.namespace = p_namespace AND s.key = p_key AND s.slot = p_slot AND s.run_id = p_run AND s.fence = p_fence
  RETURNING s.fence, s.worker INTO v_fence, v_worker;
  IF v_fence IS NULL THEN
    RETURN QUERY SELECT NULL::bigint, false, v_woken;
    RETURN;
  END IF;

  v_cancelled := coalesce(v_run.slot = p_slot AND v_run.state IN ('running', 'retrying', 'planned', 'queued'), false);
  IF v_cancelled THEN
    -- For the worker, which asks what became of the runs that it holds.
    UPDATE run r SET cancel_requested_at = coalesce(r.cancel_requested_at, now()),
      cancel_requested_by = CASE WHEN r.cancel_requested_at IS NULL THEN p_who ELSE r.cancel_requested_by END,
      cancel_reason = CASE WHEN r.cancel_requested_at IS NULL THEN p_note ELSE r.cancel_reason END
    WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for;
    SELECT coalesce(jsonb_agg(s.woken) FILTER (WHERE s.result = 'woken'), '[]') INTO v_woken FROM settle_runs(
      p_run => ARRAY[p_run], p_scheduled_for => ARRAY[p_scheduled_for], p_from_state => ARRAY[v_run.state],
      p_dispatch => ARRAY[v_run.dispatch], p_attempt => ARRAY[v_run.attempt], p_fence => ARRAY[NULL::bigint],
      p_settle_id => ARRAY[p_settle_id], p_to_state => ARRAY['cancelled'], p_reason => ARRAY[p_reason],
      p_retry_at => ARRAY[NULL::timestamptz], p_attempt_outcome => ARRAY[NULL::text], p_lost => ARRAY[false],
      p_spared => ARRAY[false], p_error => ARRAY[NULL::jsonb], p_output => ARRAY[NULL::jsonb],
      p_exit_code => ARRAY[NULL::integer], p_blocked_by => ARRAY[NULL::uuid], p_from_end => ARRAY[NULL::boolean]) s;
  ELSE
    UPDATE key_slot s SET run_id = NULL, run_scheduled_for = NULL, worker = NULL, since = NULL
    WHERE s.namespace = p_namespace AND s.key = p_key AND s.slot = p_slot;
    SELECT coalesce(jsonb_agg(jsonb_build_object('id', w.run_id, 'pool', w.pool, 'dispatch', w.dispatch, 'key', w.key,
      'slot', w.slot, 's', round(extract(epoch FROM w.scheduled_for) * 1000), 'd', round(extract(epoch FROM w.due_at) * 1000))), '[]')
    INTO v_woken FROM wake_waiting(p_namespace, ARRAY[p_key]) w;
  END IF;

  INSERT INTO audit (namespace, actor, action, subject, reason, detail)
  SELECT p_namespace, p_who, 'release', i.subject, p_note,
    i.detail || jsonb_build_object('slot', p_slot, 'worker', v_worker, 'fence', v_fence)
  FROM (VALUES ('key:' || p_key, jsonb_build_object('run', p_run)), ('run:' || p_run, jsonb_build_object('key', p_key)))
    AS i(subject, detail);
  PERFORM pg_notify(p_cancel_channel, p_namespace);
  RETURN QUERY SELECT v_fence, v_cancelled, v_woken;
END $$;
