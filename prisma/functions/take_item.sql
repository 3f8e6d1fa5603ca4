-- Hands a run the next item of a list. p_done: the place of the one before, which is confirmed by it; null: there is none. An
-- item whose answer was lost is handed out to the same run again. The run is locked: it cannot be taken for lost meanwhile.
CREATE OR REPLACE FUNCTION "take_item"(p_run uuid, p_scheduled_for timestamptz, p_attempt integer, p_fence bigint, p_namespace text,
  p_list text, p_done bigint) RETURNS TABLE ("current" boolean, "place" bigint, "item" jsonb)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_next bigint;
BEGIN
  -- Equivalent mutant (predicate removed, r.namespace): run_is_current compares it again.
  -- Equivalent mutant (predicate removed, r.state): run_is_current compares it again.
  PERFORM FROM run r WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.namespace = p_namespace AND r.state = 'running' FOR NO KEY UPDATE;
  IF NOT FOUND OR NOT run_is_current(p_run, p_scheduled_for, p_attempt, p_fence, p_namespace) THEN
    RETURN QUERY SELECT false, NULL::bigint, NULL::jsonb;
    RETURN;
  END IF;
  -- Equivalent mutant (predicate removed, NOT r.takes): it saves a write of the same value.
  UPDATE run r SET takes = true WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND NOT r.takes;
  DELETE FROM work_item i WHERE i.namespace = p_namespace AND i.list = p_list AND i.place = p_done AND i.run_id = p_run;
  RETURN QUERY SELECT true, i.place, i.item FROM work_item i
    WHERE i.run_id = p_run AND i.namespace = p_namespace AND i.list = p_list;
  IF FOUND THEN
    RETURN;
  END IF;
  -- In a statement of its own: as a part of the update it might be carried out for each of its rows.
  SELECT f.place INTO v_next FROM work_item f WHERE f.namespace = p_namespace AND f.list = p_list AND f.run_id IS NULL
  ORDER BY f.place LIMIT 1 FOR UPDATE SKIP LOCKED;
  RETURN QUERY UPDATE work_item i SET run_id = p_run, taken_at = now()
    WHERE i.namespace = p_namespace AND i.list = p_list AND i.place = v_next
    RETURNING true, i.place, i.item;
  IF NOT FOUND THEN
    RETURN QUERY SELECT true, NULL::bigint, NULL::jsonb;
  END IF;
END $$;
