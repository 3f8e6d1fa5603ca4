-- Makes a new run for each named one that has ended, due now, for the same occurrence (so under the same
-- scheduled_for), and returns those it made. Left out: what has not ended, stands for a stretch of occurrences, or is of
-- a task that was deleted or, with p_current, has another version than the caller saw; what has a rerun that has not
-- ended, with p_once any rerun, and that of the same id: repeated it makes none twice.
-- The originals are locked in a statement of their own: the next one sees what who held the locks before has made.
-- A rerun waits for its key in any case. A person wants it: many of one key would else skip each other.
-- It takes a few hundred runs and looks each up by its key: a plan that is cached while a partition is small would be a scan
-- or a hash join, and stay so.
CREATE OR REPLACE FUNCTION "rerun_runs"(
  p_namespace text, p_run uuid[], p_scheduled_for timestamptz[], p_rerun uuid[], p_task_version integer[], p_key text[],
  p_current boolean, p_once boolean, p_action text, p_by jsonb
) RETURNS TABLE ("run_id" uuid, "rerun_id" uuid)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM FROM unnest(p_run, p_scheduled_for) AS i(id, scheduled_for)
  JOIN run r ON r.id = i.id AND r.scheduled_for = i.scheduled_for
  WHERE r.namespace = p_namespace
  ORDER BY r.namespace, r.key, r.id
  FOR UPDATE OF r;

  RETURN QUERY
  WITH made AS (
    INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
      overlap, pool, need, due_at, payload, requested_by, rerun_of, rate_key, own_key)
    SELECT i.rerun_id, r.scheduled_for, r.namespace, r.task_id, i.task_version, t.plan_epoch, 'rerun', 'planned', i.key,
      t.key_limit, overlap_in_turn(t.overlap), t.pool, need_on(t.need, worker_of(r.need)), now(), r.payload, p_by->>'name', r.id,
      -- Equivalent mutant (predicate removed): rate_key_of returns null for null.
      CASE WHEN t.rate_key IS NOT NULL THEN rate_key_of(t.rate_key, coalesce(r.payload, t.definition->'payload')) END, r.own_key
    FROM unnest(p_run, p_scheduled_for, p_rerun, p_task_version, p_key)
      AS i(run_id, scheduled_for, rerun_id, task_version, key)
    JOIN any_run r ON r.id = i.run_id AND r.scheduled_for = i.scheduled_for
    JOIN task t ON t.id = r.task_id AND t.deleted_at IS NULL
    WHERE r.namespace = p_namespace AND r.finished_at IS NOT NULL AND r.until_at IS NULL
      AND (NOT p_current OR t.version = i.task_version) AND NOT (t.rules ? 'runOn' AND worker_of(r.need) IS NULL)
      AND NOT EXISTS (SELECT FROM any_run o WHERE o.rerun_of = r.id AND o.namespace = p_namespace
        AND (p_once OR o.finished_at IS NULL OR o.id = ANY (ARRAY[i.rerun_id])))
    RETURNING id, rerun_of
  ), noted AS (
    INSERT INTO audit (principal_kind, principal_id, principal_name, principal_address, reason, request_id, namespace, action, subject,
      detail)
    SELECT who.*, p_namespace, p_action, 'run:' || m.rerun_of, jsonb_build_object('rerun', m.id) FROM made m, acting(p_by) who
  )
  SELECT m.rerun_of, m.id FROM made m;
  PERFORM pg_notify('escapement_wake', p_namespace);
END $$;
