-- Keys with waiting runs and room for one of them: a wake-up was lost, or a reservation has lapsed.
CREATE OR REPLACE FUNCTION "waiting_keys"(p_namespace text, p_limit integer) RETURNS SETOF text
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  WITH RECURSIVE line AS (
    (SELECT r.key, r.key_limit FROM run r WHERE r.namespace = p_namespace AND r.phase = 'waiting'
     ORDER BY r.namespace, r.key, r.scheduled_for LIMIT 1)
    UNION ALL
    SELECT n.key, n.key_limit FROM line l CROSS JOIN LATERAL (
      SELECT r.key, r.key_limit FROM run r WHERE r.namespace = p_namespace AND r.phase = 'waiting' AND r.key > l.key
      ORDER BY r.namespace, r.key, r.scheduled_for LIMIT 1) n
  )
  SELECT l.key FROM line l
  WHERE key_room(p_namespace, l.key, l.key_limit, NULL) IS NOT NULL
  LIMIT p_limit;
$$;
