-- The names of the workers of a pool that can meet a need and from which an occurrence expects a run (docs/reference/run-on.md). Who has a
-- name of its own: for a day after its last heartbeat. Others: until they shut down, or for an hour after they were heard last. Who was
-- started again since then counts as it is now.
CREATE OR REPLACE FUNCTION "expected_workers"(p_namespace text, p_pool text, p_need text) RETURNS text[]
LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(DISTINCT p.name ORDER BY p.name), '{}') FROM process p
  WHERE p.namespace = p_namespace AND p.role = 'worker' AND p_pool = ANY (p.pools) AND (p_need IS NULL OR p_need = ANY (p.offers))
    AND p.heartbeat_at > now() - CASE WHEN p.is_named THEN interval '1 day' WHEN p.stopped_at IS NULL THEN interval '1 hour' END
    AND NOT EXISTS (SELECT FROM process o WHERE o.namespace = p.namespace AND o.role = 'worker' AND o.name = p.name
      AND o.started_at > p.heartbeat_at)
    AND p.name IS NOT NULL
$$;
