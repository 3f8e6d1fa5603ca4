-- Counts the children of a batch that have ended since the last time. Who counts deletes what it has counted, under the lock
-- of the batch: each is counted once.
CREATE OR REPLACE FUNCTION "count_batch"(p_namespace text, p_batch uuid) RETURNS SETOF "batch" LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_ended record;
BEGIN
  PERFORM FROM batch b WHERE b.namespace = p_namespace AND b.id = p_batch FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  -- A statement of its own, which sees what was noted while this one waited for the lock.
  WITH gone AS (DELETE FROM batch_note n WHERE n.batch_id = p_batch RETURNING n.state)
  SELECT count(*) FILTER (WHERE g.state = 'succeeded') AS succeeded, count(*) FILTER (WHERE g.state = 'skipped') AS skipped,
    count(*) FILTER (WHERE g.state NOT IN ('succeeded', 'skipped')) AS failed
  INTO v_ended FROM gone g;
  RETURN QUERY
    UPDATE batch b SET succeeded = b.succeeded + v_ended.succeeded, skipped = b.skipped + v_ended.skipped,
      failed = b.failed + v_ended.failed, advanced_at = now(),
      state = CASE WHEN b.state = 'running' AND b.on_error = 'stop' AND b.failed + v_ended.failed > 0 AND b.made < b.total
        THEN 'stopping' ELSE b.state END,
      reason = CASE WHEN b.state = 'running' AND b.on_error = 'stop' AND b.failed + v_ended.failed > 0 AND b.made < b.total
        THEN 'an item has failed' ELSE b.reason END
    WHERE b.id = p_batch RETURNING b.*;
END $$;
