-- Sends the runs of tasks whose code a deployment has to the application that has it now, where that is another one than before: what
-- is open goes with its task. A run that is queued gets the next dispatch; its new job the reconciler adds, the old one begins nothing.
-- p_all: looks for runs that stayed behind, too. Runs that others have locked stay as they are. Returns how many tasks and runs were moved.
CREATE OR REPLACE FUNCTION "place_code_tasks"(p_namespace text, p_deployment bigint, p_all boolean) RETURNS TABLE ("tasks" integer, "runs" integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_moved uuid[];
  v_tasks integer;
  v_runs integer;
BEGIN
  -- Most workers have no code, and the tasks are many.
  -- Equivalent mutant (predicate removed, d.id): it saves work: the list of tasks compares the same deployment.
  -- Equivalent mutant (predicate removed, d.namespace): the list of tasks compares the namespace of the deployment again.
  -- Equivalent mutant (predicate removed, d.tasks): it saves work: a deployment without tasks has none in the list either.
  IF NOT EXISTS (SELECT FROM deployment d WHERE d.id = p_deployment AND d.namespace = p_namespace AND d.tasks <> '{}') THEN
    RETURN QUERY SELECT 0, 0;
    RETURN;
  END IF;
  WITH ours AS MATERIALIZED (
    SELECT t.id, need_of(t.namespace, t.definition->'handler', t.deployment_id) AS need FROM task t
    -- Equivalent mutant (predicate removed, t.definition#>>'{handler,type}'): only code has a name that can be among those of the deployment.
    WHERE t.namespace = p_namespace AND t.deleted_at IS NULL AND t.definition#>>'{handler,type}' = 'code'
      -- Equivalent mutant (predicate removed, d.namespace): the function has returned if the deployment is of another namespace.
      AND EXISTS (SELECT FROM deployment d WHERE d.id = p_deployment AND d.namespace = p_namespace AND d.tasks ? (t.definition#>>'{handler,name}'))
  ), moved AS (
    UPDATE task t SET need = o.need FROM ours o WHERE t.id = o.id AND t.need IS DISTINCT FROM o.need RETURNING t.id
  )
  SELECT array_agg(o.id) FILTER (WHERE p_all OR m.id IS NOT NULL), count(m.id) INTO v_moved, v_tasks
  FROM ours o LEFT JOIN moved m ON m.id = o.id;
  IF v_moved IS NULL THEN
    RETURN QUERY SELECT 0, 0;
    RETURN;
  END IF;
  WITH picked AS MATERIALIZED (
    SELECT r.id, r.scheduled_for, need_on(t.need, worker_of(r.need)) AS need FROM run r JOIN task t ON t.id = r.task_id
    WHERE r.namespace = p_namespace AND r.phase IN ('live', 'untold', 'repeating', 'waiting', 'held') AND r.task_id = ANY (v_moved)
      AND (r.need = 'code' OR r.need LIKE 'code.%' OR r.need LIKE 'code@%') AND r.need <> need_on(t.need, worker_of(r.need))
    ORDER BY r.namespace, r.key, r.id FOR UPDATE OF r SKIP LOCKED
  ), placed AS (
    UPDATE run r SET need = p.need, dispatch = r.dispatch + (r.state = 'queued')::integer
    FROM picked p WHERE r.id = ANY (ARRAY[p.id]) AND r.scheduled_for = p.scheduled_for RETURNING 1
  )
  SELECT count(*) INTO v_runs FROM placed;
  RETURN QUERY SELECT v_tasks, v_runs;
END $$;
