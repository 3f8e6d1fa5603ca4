-- Keys with waiting runs and room for one of them: a wake-up was lost, or a reservation has lapsed. Where the first one only waits for
-- a token of its task's rate there is none for it, unless runs of other rates wait too.
CREATE OR REPLACE FUNCTION "waiting_keys"(p_namespace text, p_limit integer) RETURNS SETOF text
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  WITH RECURSIVE line AS (
    (SELECT r.key, r.key_limit, r.rate_key, r.task_id, r.scheduled_for, r.id FROM run r
     WHERE r.namespace = p_namespace AND r.phase = 'waiting' AND r.overlap <> ALL (overlap_policies('without-slot'))
     ORDER BY r.namespace, r.key, r.scheduled_for LIMIT 1)
    UNION ALL
    SELECT n.* FROM line l CROSS JOIN LATERAL (
      SELECT r.key, r.key_limit, r.rate_key, r.task_id, r.scheduled_for, r.id FROM run r
      WHERE r.namespace = p_namespace AND r.phase = 'waiting' AND r.overlap <> ALL (overlap_policies('without-slot')) AND r.key > l.key
      ORDER BY r.namespace, r.key, r.scheduled_for LIMIT 1) n
  )
  SELECT l.key FROM line l
  WHERE key_room(p_namespace, l.key, l.key_limit, NULL) IS NOT NULL
    AND (l.rate_key IS NULL OR rate_opens_at(p_namespace, l.rate_key, l.task_id, l.scheduled_for, l.id) IS NULL
      OR EXISTS (SELECT FROM run o WHERE o.namespace = p_namespace AND o.key = l.key AND o.phase = 'waiting'
        AND o.rate_key IS DISTINCT FROM l.rate_key))
  LIMIT p_limit;
$$;
