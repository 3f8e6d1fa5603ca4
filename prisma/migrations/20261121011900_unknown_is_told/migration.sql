-- A run that becomes unknown calls for a person: a notice, as for a failure. Its task's schedule goes on, also where it
-- counts from the end of the run. Neither happens again when the person resolves it.

-- Ends, or sends to its next attempt, each named run that is still as the caller saw it. The only way a run
-- becomes terminal. Answers 'applied', 'repeated' (this very call was already carried out) or 'stale'.
-- p_from_end: whether the task's schedule counts from the end of its runs; null: look.
-- A fence that is not null must still be the slot's own: a frozen holder cannot commit after its successor.
CREATE OR REPLACE FUNCTION "settle_runs"(
  p_run uuid[], p_scheduled_for timestamptz[], p_from_state text[], p_dispatch integer[], p_attempt integer[],
  p_fence bigint[], p_settle_id uuid[], p_to_state text[], p_reason text[], p_retry_at timestamptz[],
  p_attempt_outcome text[], p_lost boolean[], p_spared boolean[], p_error jsonb[], p_output jsonb[], p_exit_code integer[], p_blocked_by uuid[],
  p_from_end boolean[]
) RETURNS TABLE ("ordinality" bigint, "result" text) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  WITH input AS MATERIALIZED (
    SELECT * FROM unnest(p_run, p_scheduled_for, p_from_state, p_dispatch, p_attempt, p_fence, p_settle_id, p_to_state,
      p_reason, p_retry_at, p_attempt_outcome, p_lost, p_spared, p_error, p_output, p_exit_code, p_blocked_by, p_from_end)
      WITH ORDINALITY AS i(run_id, scheduled_for, from_state, dispatch, attempt, fence, settle_id, to_state,
        reason, retry_at, attempt_outcome, lost, spared, error, output, exit_code, blocked_by,
        from_end, ord)
  ), picked AS MATERIALIZED (
    -- Rows are locked in key order, runs before slots, in every statement: no deadlock.
    SELECT i.*, r.namespace, r.key, r.slot, r.started_at AS began_at, r.worker, r.fence AS run_fence
    FROM input i
    JOIN run r ON r.id = i.run_id AND r.scheduled_for = i.scheduled_for
    WHERE r.state = i.from_state AND r.dispatch = i.dispatch AND r.attempt = i.attempt
      AND (i.fence IS NULL OR r.fence = i.fence)
    ORDER BY r.namespace, r.key, r.id
    FOR UPDATE OF r
  ), held AS MATERIALIZED (
    SELECT s.namespace, s.key, s.slot, p.run_id, p.to_state
    FROM picked p
    JOIN key_slot s ON s.namespace = p.namespace AND s.key = p.key AND s.slot = p.slot
    WHERE s.run_id = p.run_id AND (p.fence IS NULL OR s.fence = p.fence)
    ORDER BY s.namespace, s.key, s.slot
    FOR UPDATE OF s
  ), allowed AS MATERIALIZED (
    SELECT p.* FROM picked p
    LEFT JOIN held h ON h.run_id = p.run_id
    WHERE p.fence IS NULL OR p.slot IS NULL OR h.run_id IS NOT NULL
  ), freed AS (
    UPDATE key_slot s SET run_id = NULL, run_scheduled_for = NULL, worker = NULL, since = NULL
    FROM held h
    WHERE s.namespace = h.namespace AND s.key = h.key AND s.slot = h.slot AND h.to_state <> 'retrying'
  ), settled AS (
    UPDATE run r SET
      state = p.to_state, reason = p.reason, finish_id = p.settle_id,
      finished_at = CASE WHEN p.to_state IN ('retrying', 'unknown', 'waiting') THEN NULL ELSE now() END,
      due_at = coalesce(p.retry_at, r.due_at), lost = r.lost + p.lost::integer, spared = r.spared + p.spared::integer,
      error = p.error, output = p.output, exit_code = p.exit_code, blocked_by = coalesce(p.blocked_by, r.blocked_by)
    FROM allowed p
    WHERE r.id = p.run_id AND r.scheduled_for = p.scheduled_for
    RETURNING r.id, r.namespace, r.scheduled_for, r.state, r.task_id, r.origin, p.from_state, p.from_end, p.ord
  ), recorded AS (
    INSERT INTO attempt (run_id, scheduled_for, attempt, outcome, reason, worker, fence, started_at, error, exit_code)
    SELECT p.run_id, p.scheduled_for, p.attempt, p.attempt_outcome, p.reason, p.worker, p.run_fence, p.began_at, p.error, p.exit_code
    FROM allowed p WHERE p.to_state = 'retrying'
    ON CONFLICT DO NOTHING
  ), noticed AS (
    INSERT INTO notice (namespace, run_id, scheduled_for)
    SELECT s.namespace, s.id, s.scheduled_for FROM settled s
    WHERE s.state IN ('failed', 'timed_out', 'quarantined', 'unknown') AND s.from_state <> 'unknown'
  ), counted_from_end AS (
    UPDATE task t SET next_run_at = now() + make_interval(secs => (t.schedule->>'delayMs')::bigint / 1000.0),
      plan_seq = t.plan_seq + 1
    FROM settled s
    WHERE s.from_end IS NOT FALSE AND t.id = s.task_id AND t.schedule->>'kind' = 'fixed-delay' AND t.deleted_at IS NULL AND t.next_run_at IS NULL
      AND s.origin IN ('schedule', 'catch_up') AND s.state NOT IN ('retrying', 'superseded') AND s.from_state <> 'unknown'
  )
  SELECT i.ord, CASE WHEN s.id IS NOT NULL THEN 'applied'
    WHEN EXISTS (SELECT FROM run r WHERE r.id = i.run_id AND r.scheduled_for = i.scheduled_for AND r.finish_id = i.settle_id)
      THEN 'repeated'
    ELSE 'stale' END
  FROM input i LEFT JOIN settled s ON s.ord = i.ord
  ORDER BY i.ord;
END $$;
