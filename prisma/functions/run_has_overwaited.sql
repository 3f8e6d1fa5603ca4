-- A waiting run has waited for as long as it is ready to: it ends, and is not woken any more.
CREATE OR REPLACE FUNCTION "run_has_overwaited"(p_wait_until timestamptz) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT p_wait_until IS NOT NULL AND p_wait_until <= now();
$$;
