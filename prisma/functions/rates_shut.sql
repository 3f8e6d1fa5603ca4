-- The rate that has no token for a run, and when it may have one: of several the one that has it last. No row: it may start now.
CREATE OR REPLACE FUNCTION "rates_shut"(p_namespace text, p_rate_key text, p_pool text, p_task uuid, p_scheduled_for timestamptz, p_run uuid)
RETURNS TABLE ("rate_key" text, "opens_at" timestamptz) LANGUAGE sql VOLATILE AS $$
  SELECT k.rate_key, o.opens_at FROM rates_of_run(p_namespace, p_rate_key, p_pool, p_task) k
  CROSS JOIN LATERAL (SELECT rate_opens_at(p_namespace, k.rate_key, p_task, p_scheduled_for, p_run) AS opens_at OFFSET 0) o
  WHERE o.opens_at IS NOT NULL ORDER BY o.opens_at DESC LIMIT 1
$$;
