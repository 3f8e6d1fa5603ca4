-- Rolls up the next hour that is over, p_limit tasks a call; begins with that of the first task, where nothing was rolled up before. An end of that hour
-- is noted only if it comes after the hour (run_ended_late), so those before must be seen: all transactions that began before the hour
-- was found to be over have to be through, whatever they do. That is found 30 s after the hour, since a time is read shortly before
-- the transaction that writes it counts as begun.
-- Answers 'rolled': there may be more to do; 'waiting' for a transaction; 'done': until the next hour is over; 'busy': somebody else rolls up.
CREATE OR REPLACE FUNCTION "roll_up_hours"(p_namespace text, p_limit integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_at roll_up%ROWTYPE;
  v_tasks uuid[];
BEGIN
  SELECT * INTO v_at FROM roll_up u WHERE u.namespace = p_namespace FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    INSERT INTO roll_up (namespace, rolled_until)
    SELECT p_namespace, date_bin(interval '1 hour', greatest(coalesce(min(t.created_at), now()), now() - keep_days() * interval '1 day'),
      timestamptz 'epoch') FROM task t WHERE t.namespace = p_namespace
    ON CONFLICT DO NOTHING;
    RETURN CASE WHEN FOUND THEN 'rolled' ELSE 'busy' END;
  END IF;
  IF clock_timestamp() < v_at.rolled_until + interval '1 hour 30 seconds' THEN
    RETURN 'done';
  END IF;
  -- A later hour closed those before it as well. A number that is still to come is that of another server: this is a restored dump.
  IF v_at.closed_hour IS NULL OR v_at.closed_hour < v_at.rolled_until OR v_at.closed_by >= pg_snapshot_xmax(pg_current_snapshot()) THEN
    UPDATE roll_up u SET closed_hour = date_bin(interval '1 hour', clock_timestamp() - interval '1 hour 30 seconds', timestamptz 'epoch'),
      closed_by = pg_current_xact_id()
    WHERE u.namespace = p_namespace;
    RETURN 'waiting';
  END IF;
  IF pg_snapshot_xmin(pg_current_snapshot()) <= v_at.closed_by THEN
    RETURN 'waiting';
  END IF;
  SELECT coalesce(array_agg(t.id ORDER BY t.id), '{}') INTO v_tasks FROM (
    SELECT t.id FROM task t WHERE t.namespace = p_namespace AND (v_at.after_task IS NULL OR t.id > v_at.after_task) ORDER BY t.id LIMIT p_limit
  ) t;
  PERFORM roll_up_tasks(v_tasks, array_fill(v_at.rolled_until, ARRAY[cardinality(v_tasks)]));
  PERFORM learn_durations(v_tasks, v_at.rolled_until);
  IF cardinality(v_tasks) < p_limit THEN
    UPDATE roll_up u SET rolled_until = v_at.rolled_until + interval '1 hour', after_task = NULL WHERE u.namespace = p_namespace;
  ELSE
    UPDATE roll_up u SET after_task = v_tasks[p_limit] WHERE u.namespace = p_namespace;
  END IF;
  RETURN 'rolled';
END $$;
