-- Pauses those of the tasks whose last occurrences have all failed, as many as their `pauseAfterFailures`. An occurrence of each has just
-- failed in this transaction. Tasks without the option cost a look at their row.
-- What counts, in the order of scheduled_for: occurrences that fell due after the task was last resumed from such a pause, and saved after it was last deleted. Those that are
-- open, or never ran, are passed over. A success ends the row, also that of a rerun: it lies where its occurrence does.
-- One after the other, by a lock that nobody else takes: two that fail at once would else not see each other. In the order of ids; rows
-- that others may have locked are left alone: no deadlock.
CREATE OR REPLACE FUNCTION "pause_failing"(p_namespace text, p_tasks uuid[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_task record;
  v_since timestamptz;
  v_endless boolean;
  v_first timestamptz;
  v_runs uuid[];
  v_note text;
BEGIN
  FOR v_task IN
    SELECT t.id, t.name, t.since_epoch, least(greatest((t.definition->>'pauseAfterFailures')::numeric, 1), 100)::integer AS most FROM task t
    WHERE t.id = ANY (p_tasks) AND t.namespace = p_namespace AND jsonb_typeof(t.definition->'pauseAfterFailures') = 'number' AND t.deleted_at IS NULL
    ORDER BY t.id
  LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended('escapement failures ' || v_task.id, 0));
    SELECT coalesce(max(p.until_at) FILTER (WHERE p.failures IS NOT NULL), '-infinity'),
      coalesce(bool_or(p.until_at IS NULL AND p.from_at <= clock_timestamp()), false)
    INTO v_since, v_endless FROM task_pause p WHERE p.task_id = v_task.id;
    CONTINUE WHEN v_endless;

    -- From each of the three phases as many as are needed: an index has them in order.
    SELECT array_agg(f.id ORDER BY f.scheduled_for, f.id), min(f.scheduled_for) INTO v_runs, v_first
    FROM (
      SELECT l.id, l.scheduled_for FROM unnest(ARRAY['failed', 'timed_out', 'quarantined']) AS s(phase)
      CROSS JOIN LATERAL (
        SELECT r.id, r.scheduled_for FROM any_run r
        -- Equivalent mutant (predicate removed, r.phase IN): s has only these phases: this names them for the index.
        WHERE r.task_id = v_task.id AND r.phase = s.phase AND r.phase IN ('failed', 'timed_out', 'quarantined') AND r.scheduled_for >= v_since
          AND run_is_of_schedule(r.origin, r.ordinal) AND r.plan_epoch >= v_task.since_epoch
        ORDER BY r.scheduled_for DESC, r.id DESC LIMIT v_task.most
      ) l
      ORDER BY l.scheduled_for DESC, l.id DESC LIMIT v_task.most
    ) f;
    CONTINUE WHEN coalesce(cardinality(v_runs), 0) < v_task.most OR EXISTS (SELECT FROM any_run r
      WHERE r.task_id = v_task.id AND r.scheduled_for >= v_first AND r.state = 'succeeded'
        AND (r.origin = 'rerun' OR run_is_of_schedule(r.origin, r.ordinal)));

    v_note := CASE v_task.most WHEN 1 THEN 'run ' || v_runs[1] || ' failed'
      ELSE format('%s runs in a row failed%s: %s', v_task.most, CASE WHEN v_task.most > 5 THEN ', the last 5' ELSE '' END,
        array_to_string(v_runs[greatest(1, v_task.most - 4):], ', ')) END;
    INSERT INTO task_pause (task_id, from_at, note, created_by, failures)
    VALUES (v_task.id, clock_timestamp(), v_note, 'run:' || v_runs[v_task.most], v_task.most);
    -- As by a person's pause, but for a run that somebody begins at this moment.
    UPDATE run r SET state = 'skipped', reason = 'paused: ' || v_note, finished_at = clock_timestamp()
    FROM (SELECT n.id, n.scheduled_for FROM run n
      WHERE n.task_id = v_task.id AND n.scheduled_for >= now() AND n.origin = 'chain' AND n.ordinal = -1 AND n.attempt = 0
        AND n.state IN ('planned', 'queued')
      FOR UPDATE SKIP LOCKED) n
    WHERE r.id = ANY (ARRAY[n.id]) AND r.scheduled_for = n.scheduled_for;
    INSERT INTO audit (namespace, principal_kind, principal_id, principal_name, action, subject, reason, detail)
    VALUES (p_namespace, 'process', 'run:' || v_runs[v_task.most], 'run:' || v_runs[v_task.most], 'pause', 'task:' || v_task.name, v_note,
      jsonb_build_object('until', NULL, 'failures', v_task.most, 'runs', to_jsonb(v_runs)));
    PERFORM pg_notify('escapement_wake', p_namespace);
  END LOOP;
END $$;
