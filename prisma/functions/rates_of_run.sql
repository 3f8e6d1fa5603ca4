-- The rates that a run is under, its pool's and its task's, by key: who locks their buckets does so in this order.
CREATE OR REPLACE FUNCTION "rates_of_run"(p_namespace text, p_rate_key text, p_pool text, p_task uuid)
RETURNS TABLE ("rate_key" text, "rate_limit" integer, "rate_per_ms" bigint) LANGUAGE sql STABLE AS $$
  SELECT k.rate_key, o.rate_limit, o.rate_per_ms FROM (VALUES (pool_rate_key(p_pool)), (p_rate_key)) AS k(rate_key)
  CROSS JOIN LATERAL rate_of(p_namespace, k.rate_key, p_task) o
  ORDER BY k.rate_key COLLATE "C"
$$;
