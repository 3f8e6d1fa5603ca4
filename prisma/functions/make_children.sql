-- Makes the next children of a batch, in the order of its items, if nobody has made them meanwhile (p_made). p_keys: of each;
-- null: the batch's own. They are queued; the caller adds their jobs, what it leaves out the reconciler adds.
CREATE OR REPLACE FUNCTION "make_children"(p_namespace text, p_batch uuid, p_made integer, p_count integer, p_keys text[]) RETURNS TABLE (
  "id" uuid, "scheduled_for" timestamptz, "queue" text, "due_at" timestamptz, "dispatch" integer, "traceparent" text
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_batch batch%ROWTYPE;
BEGIN
  UPDATE batch b SET made = made + p_count, advanced_at = now()
  WHERE b.namespace = p_namespace AND b.id = p_batch AND b.made = p_made AND b.state = 'running' AND p_made + p_count <= b.total
    AND EXISTS (SELECT FROM task t WHERE t.id = b.task_id AND t.deleted_at IS NULL)
  RETURNING b.* INTO v_batch;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  RETURN QUERY
    INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap,
      pool, need, due_at, start_by, dispatch, payload, cause_run_id, batch_id, traceparent, rate_key)
    SELECT batch_child(v_batch.id, g.index), v_batch.created_at, t.namespace, t.id, t.version, t.plan_epoch, 'chain', 'queued',
      coalesce(p_keys[g.index - p_made + 1], 'batch:' || v_batch.id),
      CASE WHEN p_keys IS NULL THEN v_batch.concurrency ELSE t.key_limit END,
      CASE WHEN v_batch.ordering = 'none' AND p_keys IS NULL THEN (overlap_policies('without-slot'))[1]
        WHEN v_batch.ordering = 'none' THEN overlap_in_turn(t.overlap) ELSE (overlap_policies('in-turn'))[1] END,
      t.pool, t.need, now(), now() + t.start_deadline_ms * interval '1 ms', 1, i.item, v_batch.run_id, v_batch.id, v_batch.traceparent,
      -- Equivalent mutant (predicate removed): rate_key_of returns null for null.
      CASE WHEN t.rate_key IS NOT NULL THEN rate_key_of(t.rate_key, i.item) END
    FROM generate_series(p_made, p_made + p_count - 1) AS g(index)
    JOIN task t ON t.id = v_batch.task_id
    CROSS JOIN LATERAL (SELECT p.items -> (g.index - p.first) AS item FROM batch_page p
      WHERE p.batch_id = v_batch.id AND p.first <= g.index ORDER BY p.first DESC LIMIT 1) i
    ORDER BY g.index
    RETURNING id, scheduled_for, queue_of(pool, need), due_at, dispatch, traceparent;
  -- Pages have at most 100 items.
  DELETE FROM batch_page p WHERE p.batch_id = v_batch.id AND p.first <= v_batch.made - 100;
END $$;
