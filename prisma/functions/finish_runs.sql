-- Ends, or sends to its next attempt, each named run that is still as the caller saw it. Runs become terminal here, except
-- plain successes (finish-plain-successes.ts) and next runs that a task takes back (forget_next, pause-task.ts). Answers 'applied', 'repeated' (this very call was already carried out), 'conflict' (somebody else has
-- changed the state that the run wants to change: nothing is written) or 'stale'.
-- p_namespace: runs of others are stale. p_finishes: a list of records, each of these fields; what is left out is null or false:
--   run_id, scheduled_for: the run. from_state, dispatch, attempt: as the caller saw it. fence: null for who did not run it.
--   finish_id: names the call. to_state, reason. retry_at: when the next attempt is due. attempt_outcome: of this attempt.
--   lost, uncounted: whether it lost its worker alone, and whether the attempt does not count against the retry policy.
--   error, output, exit_code: of the attempt.
--   blocked_by: the run that was in its way. effects: what it leaves behind (apply_effects).
--   from_end: whether the task's schedule counts from the end of its runs; null: look.
-- A fence that is not null must still be the slot's own: a frozen holder cannot commit after its successor.
-- What it frees it gives to the next in the wait queue at once: for each run that it woke a row without ordinality follows, `woken`
-- with `by`, the member that made room.
-- A run has ended when its end is written, not when the statement came: it may have waited for the locks of the run that
-- began before it, and be skipped because of that run.
-- A run that becomes unknown calls for a person. Its task's schedule goes on, also where it counts from the end of the run; that does not
-- happen again when the person resolves it.
CREATE OR REPLACE FUNCTION "finish_runs"(p_namespace text, p_finishes jsonb)
RETURNS TABLE ("ordinality" bigint, "result" text, "woken" jsonb) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_results text[];
  v_namespaces text[];
  v_keys text[];
  v_slots integer[];
  v_members bigint[];
  v_applied uuid[];
  v_conflicts uuid[] := '{}';
  -- Of the occurrences that failed; null: none did.
  v_failed uuid[];
  -- Of the runs that leave something behind; null: none does.
  v_effects jsonb;
BEGIN
  IF p_finishes @? '$[*].effects' THEN
    v_effects := jsonb_path_query_array(p_finishes, '$[*] ? (exists (@.effects))');
    v_conflicts := state_conflicts(p_namespace, v_effects);
  END IF;
  WITH input AS MATERIALIZED (
    SELECT i.*, i.finish->'error' AS error, i.finish->'output' AS output
    FROM ROWS FROM (jsonb_array_elements(p_finishes), jsonb_to_recordset(p_finishes) AS (run_id uuid,
      scheduled_for timestamptz, from_state text, dispatch integer, attempt integer, fence bigint, finish_id uuid,
      to_state text, reason text, retry_at timestamptz, attempt_outcome text, lost boolean, uncounted boolean,
      exit_code integer, blocked_by uuid, from_end boolean)) WITH ORDINALITY AS i(finish, run_id, scheduled_for,
      from_state, dispatch, attempt, fence, finish_id, to_state, reason, retry_at, attempt_outcome, lost, uncounted,
      exit_code, blocked_by, from_end, ord)
  ), picked AS MATERIALIZED (
    -- Rows are locked in key order, runs before slots, in every statement: no deadlock.
    SELECT i.*, r.namespace, r.key, r.slot, r.overlap, r.started_at AS began_at, r.worker, r.fence AS run_fence
    FROM input i
    JOIN run r ON r.id = ANY (ARRAY[i.run_id]) AND r.scheduled_for = i.scheduled_for
    WHERE r.state = i.from_state AND r.dispatch = i.dispatch AND r.attempt = i.attempt
      AND r.namespace = p_namespace AND (i.fence IS NULL OR r.fence = i.fence) AND i.run_id <> ALL (v_conflicts)
    ORDER BY r.namespace, r.key, r.id
    FOR UPDATE OF r
  ), held AS MATERIALIZED (
    SELECT s.namespace, s.key, s.slot, s.awaited, p.run_id, p.to_state
    FROM picked p
    JOIN key_slot s ON s.namespace = p.namespace AND s.key = p.key AND s.slot = p.slot
    WHERE s.run_id = p.run_id AND (p.fence IS NULL OR s.fence = p.fence)
    ORDER BY s.namespace, s.key, s.slot
    FOR UPDATE OF s
  ), allowed AS MATERIALIZED (
    SELECT p.*, h.awaited, h.run_id IS NOT NULL AND p.to_state <> 'retrying' AS frees FROM picked p
    LEFT JOIN held h ON h.run_id = p.run_id
    WHERE p.fence IS NULL OR p.slot IS NULL OR h.run_id IS NOT NULL
  ), freed AS (
    UPDATE key_slot s SET run_id = NULL, run_scheduled_for = NULL, worker = NULL, since = NULL
    FROM held h
    WHERE s.namespace = h.namespace AND s.key = h.key AND s.slot = h.slot AND h.to_state <> 'retrying'
  ), finished AS (
    UPDATE run r SET
      state = p.to_state, reason = p.reason, finish_id = p.finish_id,
      finished_at = CASE WHEN p.to_state IN ('retrying', 'unknown') THEN NULL ELSE clock_timestamp() END,
      due_at = coalesce(p.retry_at, r.due_at), lost = r.lost + coalesce(p.lost, false)::integer,
      uncounted = r.uncounted + coalesce(p.uncounted, false)::integer,
      error = p.error, output = p.output, exit_code = p.exit_code, blocked_by = coalesce(p.blocked_by, r.blocked_by)
    FROM allowed p
    WHERE r.id = ANY (ARRAY[p.run_id]) AND r.scheduled_for = p.scheduled_for
    RETURNING r.id, r.namespace, r.scheduled_for, r.state, r.task_id, r.task_version, r.origin, r.ordinal, p.from_state, p.from_end, p.ord, r.key,
      CASE WHEN p.frees THEN p.slot END AS freed_slot,
      p.frees AND (p.awaited OR p.overlap = ANY (overlap_policies('oldest-first'))) OR p.from_state = 'waiting'
        OR p.overlap = ANY (overlap_policies('oldest-first')) AND p.from_state IN ('planned', 'queued') AS makes_room
  ), recorded AS (
    INSERT INTO attempt (run_id, scheduled_for, attempt, outcome, reason, worker, fence, started_at, error, exit_code)
    SELECT p.run_id, p.scheduled_for, p.attempt, p.attempt_outcome, p.reason, p.worker, p.run_fence, p.began_at, p.error, p.exit_code
    FROM allowed p WHERE p.to_state = 'retrying'
    ON CONFLICT DO NOTHING
  ), over AS MATERIALIZED (
    -- Both rows are locked: who edits the task changes both, and what is asked here holds for the rows as they are then.
    -- Of a delay that is none the task is due at once: planning it says what is wrong, and the run ends all the same.
    SELECT plan.task_id, CASE WHEN jsonb_typeof(t.schedule->'delayMs') = 'number'
      THEN least(greatest((t.schedule->>'delayMs')::numeric, 0), 1e12) / 1000.0 ELSE 0 END AS secs
    FROM finished f JOIN task_plan plan ON plan.task_id = ANY (ARRAY[f.task_id]) JOIN task t ON t.id = ANY (ARRAY[plan.task_id])
    WHERE f.from_end IS NOT FALSE AND t.schedule->>'kind' = 'fixed-delay' AND t.deleted_at IS NULL AND plan.next_run_at IS NULL
      AND f.origin IN ('schedule', 'catch_up') AND f.state NOT IN ('retrying', 'superseded') AND f.from_state <> 'unknown'
      -- An edit has begun a count of its own.
      AND f.task_version = t.version
    ORDER BY plan.task_id
    FOR NO KEY UPDATE OF plan, t
  ), counted_from_end AS (
    UPDATE task_plan plan SET next_run_at = clock_timestamp() + make_interval(secs => o.secs), plan_seq = plan.plan_seq + 1
    FROM over o WHERE plan.task_id = ANY (ARRAY[o.task_id])
  )
  SELECT array_agg(CASE WHEN f.id IS NOT NULL THEN 'applied'
      WHEN EXISTS (SELECT FROM run r WHERE r.id = ANY (ARRAY[i.run_id]) AND r.scheduled_for = i.scheduled_for AND r.namespace = p_namespace AND r.finish_id = i.finish_id)
        THEN 'repeated'
      WHEN i.run_id = ANY (v_conflicts) THEN 'conflict'
      ELSE 'stale' END ORDER BY i.ord),
    array_agg(f.namespace) FILTER (WHERE f.makes_room), array_agg(f.key) FILTER (WHERE f.makes_room),
    array_agg(f.freed_slot) FILTER (WHERE f.makes_room), array_agg(f.ord) FILTER (WHERE f.makes_room),
    array_agg(f.id) FILTER (WHERE f.id IS NOT NULL),
    array_agg(f.task_id) FILTER (WHERE f.state IN ('failed', 'timed_out', 'quarantined') AND run_is_of_schedule(f.origin, f.ordinal))
  INTO v_results, v_namespaces, v_keys, v_slots, v_members, v_applied, v_failed
  FROM input i LEFT JOIN finished f ON f.ord = i.ord;
  IF v_effects IS NOT NULL AND v_applied IS NOT NULL THEN
    PERFORM apply_effects(v_effects, v_applied);
  END IF;
  RETURN QUERY SELECT m.ord, m.answer, NULL::jsonb FROM unnest(v_results) WITH ORDINALITY AS m(answer, ord);

  IF v_keys IS NOT NULL THEN
    -- A statement of its own, so that it sees who began to wait while this one waited for the slots' locks.
    RETURN QUERY
    SELECT NULL::bigint, 'woken', jsonb_build_object('id', w.run_id, 'queue', w.queue, 'dispatch', w.dispatch,
      'key', w.key, 'slot', w.slot, 's', round(extract(epoch FROM w.scheduled_for) * 1000),
      'd', round(extract(epoch FROM w.due_at) * 1000), 'by', (
        SELECT t.member FROM unnest(v_namespaces, v_keys, v_slots, v_members) AS t(namespace, key, slot, member)
        -- Equivalent mutant (predicate removed, t.namespace): all that a call ends is of its one namespace.
        WHERE t.namespace = n.namespace AND t.key = w.key
        ORDER BY (t.slot IS NOT DISTINCT FROM w.slot) DESC, t.member LIMIT 1))
    FROM (SELECT t.namespace, array_agg(t.key) AS keys FROM unnest(v_namespaces, v_keys) AS t(namespace, key)
      GROUP BY t.namespace) n
    CROSS JOIN LATERAL wake_waiting(n.namespace, n.keys) w;
  END IF;
  -- Last: it waits for whoever counts the failures of the same task, and that one asks for no row any more.
  IF v_failed IS NOT NULL THEN
    PERFORM pause_failing(p_namespace, v_failed);
  END IF;
END $$;
