-- What a task's runs ask of their worker beside the pool, by its handler; null: nothing. core/queue-name.ts says the same.
-- The code of a name may be in several deployments: one that a worker has who lives counts before others, then that of the
-- application whose task it is (p_deployment: the task's), then the latest. `code` alone: no application is known to have it.
CREATE OR REPLACE FUNCTION "need_of"(p_namespace text, p_handler jsonb, p_deployment bigint) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT CASE p_handler->>'type'
    WHEN 'shell' THEN 'shell'
    WHEN 'code' THEN coalesce((
      SELECT 'code.' || left(md5(d.app), 12) FROM deployment d
      WHERE d.namespace = p_namespace AND d.tasks ? (p_handler->>'name')
      ORDER BY EXISTS (SELECT FROM process p WHERE p.namespace = d.namespace AND p.role = 'worker' AND p.deployment_id = d.id
          AND p.stopped_at IS NULL AND p.heartbeat_at > now() - interval '1 min') DESC,
        EXISTS (SELECT FROM deployment o WHERE o.id = p_deployment AND o.app = d.app) DESC, d.id DESC
      LIMIT 1), 'code')
  END $$;
