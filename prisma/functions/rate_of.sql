-- How many may start within how long under a rate's key, by what the pool says now, or the task. No row: there is no rate (any more).
CREATE OR REPLACE FUNCTION "rate_of"(p_namespace text, p_rate_key text, p_task uuid) RETURNS TABLE ("rate_limit" integer, "rate_per_ms" bigint)
LANGUAGE sql STABLE AS $$
  SELECT p.rate_limit, p.rate_per_ms FROM pool p
  WHERE p_rate_key LIKE '@pool:%' AND p.namespace = p_namespace AND p.name = substr(p_rate_key, 7) AND p.rate_limit IS NOT NULL
  UNION ALL
  SELECT t.rate_limit, t.rate_per_ms FROM task t
  WHERE p_rate_key NOT LIKE '@pool:%' AND t.id = p_task AND t.rate_limit IS NOT NULL
$$;
