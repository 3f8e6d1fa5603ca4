-- p_finishes: as in finish_runs. Commits what the runs that have just ended leave behind.
CREATE OR REPLACE FUNCTION "apply_effects"(p_finishes jsonb, p_applied uuid[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_row record;
  v_asked timestamptz;
  v_next timestamptz;
  v_changed integer;
BEGIN
  FOR v_row IN
    SELECT r.id, r.scheduled_for, r.namespace, r.task_id, r.key, i.effects,
      t.deleted_at IS NULL AND r.plan_epoch >= t.since_epoch AS decides
    FROM jsonb_to_recordset(p_finishes) AS i(run_id uuid, scheduled_for timestamptz, effects jsonb)
    JOIN run r ON r.id = i.run_id AND r.scheduled_for = i.scheduled_for
    JOIN task t ON t.id = r.task_id
    -- Equivalent mutant (predicate removed, i.effects): null effects have no key.
    WHERE i.effects IS NOT NULL AND r.id = ANY (p_applied)
    ORDER BY r.task_id, r.key
  LOOP
    IF v_row.effects ? 'state' THEN
      INSERT INTO task_state AS s (task_id, key, value, shape, updated_by)
      VALUES (v_row.task_id, v_row.key, v_row.effects->'state'->'value', (v_row.effects->'state'->>'shape')::integer,
        'run:' || v_row.id)
      ON CONFLICT (task_id, key) DO UPDATE SET value = excluded.value, shape = excluded.shape, version = s.version + 1,
        updated_at = now(), updated_by = excluded.updated_by
      WHERE s.version = (v_row.effects->'state'->>'version')::bigint;
      GET DIAGNOSTICS v_changed = ROW_COUNT;
      -- Somebody made it in this very moment: the caller repeats, and is told then.
      IF v_changed = 0 THEN
        RAISE EXCEPTION 'the state of key % was made meanwhile', v_row.key USING ERRCODE = 'serialization_failure';
      END IF;
    END IF;
    IF v_row.effects ? 'chain' THEN
      INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event, detail)
      VALUES (v_row.namespace, v_row.id, v_row.scheduled_for, v_row.task_id, 'chain', v_row.effects->'chain');
    END IF;
    -- A run of a task that was deleted decides nothing for the one that has its name now.
    IF v_row.effects ? 'next' AND v_row.decides THEN
      -- greatest() would make of null, which is never again, now. A task whose dates have always passed would run without a break: see
      -- LEAST_BREAK_MS of core.
      v_asked := (v_row.effects->>'next')::timestamptz;
      v_next := CASE WHEN v_asked IS NOT NULL THEN greatest(v_asked, now() + interval '1 s') END;
      PERFORM forget_next(v_row.task_id, 'run ' || v_row.id || ' decided anew when its task is due next');
      PERFORM rest_until(v_row.task_id, v_row.id, v_next);
      IF v_asked <= now() THEN
        UPDATE task_pause p SET asked_late = true WHERE p.task_id = v_row.task_id AND p.run_id = v_row.id;
      END IF;
      IF v_next IS NOT NULL THEN
        INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event, detail, not_before)
        VALUES (v_row.namespace, v_row.id, v_row.scheduled_for, v_row.task_id, 'next',
          jsonb_build_object('at', round(extract(epoch FROM v_next) * 1000)), v_next - interval '1 minute');
      END IF;
    END IF;
  END LOOP;
END $$;
