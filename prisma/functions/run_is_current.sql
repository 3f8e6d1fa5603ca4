-- Whether an attempt is still the one that its worker began, under the fence that its slot still carries. What a handler
-- asks for while it runs is refused otherwise. A run of another namespace is not there.
CREATE OR REPLACE FUNCTION "run_is_current"(p_run uuid, p_scheduled_for timestamptz, p_attempt integer, p_fence bigint,
  p_namespace text)
RETURNS boolean LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT EXISTS (SELECT FROM run r
    LEFT JOIN key_slot s ON s.namespace = r.namespace AND s.key = r.key AND s.slot = r.slot
    WHERE r.id = p_run AND r.scheduled_for = p_scheduled_for AND r.namespace = p_namespace AND r.state = 'running' AND r.attempt = p_attempt
      AND r.fence = p_fence AND (r.slot IS NULL OR s.run_id = r.id AND s.fence = r.fence));
$$;
