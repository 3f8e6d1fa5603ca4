-- Keys with waiting runs and room for one of them: a wake-up was lost, or a reservation has lapsed. Where the first one only waits for
-- a token of its task's rate there is none for it, unless runs of other rates wait too.
CREATE OR REPLACE FUNCTION "waiting_keys"(p_namespace text, p_limit integer) RETURNS SETOF text
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  WITH RECURSIVE wait_queue AS (
    (SELECT r.key, r.key_limit, r.rate_key, r.task_id, r.scheduled_for, r.id FROM run r
     WHERE r.namespace = p_namespace AND r.phase = 'waiting' AND r.overlap <> ALL (overlap_policies('without-slot'))
     ORDER BY r.namespace, r.key, r.scheduled_for LIMIT 1)
    UNION ALL
    SELECT n.* FROM wait_queue w CROSS JOIN LATERAL (
      SELECT r.key, r.key_limit, r.rate_key, r.task_id, r.scheduled_for, r.id FROM run r
      WHERE r.namespace = p_namespace AND r.phase = 'waiting' AND r.overlap <> ALL (overlap_policies('without-slot')) AND r.key > w.key
      ORDER BY r.namespace, r.key, r.scheduled_for LIMIT 1) n
  )
  SELECT w.key FROM wait_queue w
  WHERE key_room(p_namespace, w.key, w.key_limit, NULL) IS NOT NULL
    AND (w.rate_key IS NULL OR rate_opens_at(p_namespace, w.rate_key, w.task_id, w.scheduled_for, w.id) IS NULL
      OR EXISTS (SELECT FROM run o WHERE o.namespace = p_namespace AND o.key = w.key AND o.phase = 'waiting'
        AND o.rate_key IS DISTINCT FROM w.rate_key))
  LIMIT p_limit;
$$;
