-- What a person did to a run or a key. Each row is written by the statement that did it.
CREATE TABLE "audit" (
  "id"        bigint GENERATED ALWAYS AS IDENTITY,
  "namespace" text NOT NULL,
  "at"        timestamptz(3) NOT NULL DEFAULT now(),
  "actor"     text NOT NULL,
  "action"    text NOT NULL,
  -- `run:ID` or `key:KEY`.
  "subject"   text NOT NULL,
  "reason"    text,
  "detail"    jsonb NOT NULL DEFAULT '{}',
  CONSTRAINT "audit_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "audit_subject" ON "audit" ("namespace", "subject", "id");
CREATE INDEX "audit_at" ON "audit" ("at");

-- Whether a run has been re-run, and by which.
CREATE INDEX "run_rerun_of" ON "run" ("rerun_of") WHERE "rerun_of" IS NOT NULL;

-- Makes a new run for each named one that has ended, due now, for the same occurrence (so under the same
-- scheduled_for), and returns those it made. Left out: what has not ended, stands for a stretch of occurrences, or is of
-- a task that was deleted or, with p_current, has another version than the caller saw; what has a re-run that has not
-- ended, with p_once any re-run.
-- The originals are locked in a statement of their own: the next one sees what who held the locks before has made.
CREATE FUNCTION "rerun_runs"(
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
      t.key_limit, t.overlap, t.pool, now(), r.payload, p_who, r.id
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

-- Ends a run whose fate only a person can tell. p_rerun not null: by a re-run, made in the same transaction.
-- What is known of its last attempt stays with it. Answers as settle_runs; raises ES001 where no re-run can be made.
CREATE FUNCTION "resolve_run"(
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
  WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.namespace = p_namespace;
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
