-- A run has not begun, and no worker has it in its hands. The phase says nothing that the state does not: it is for the indexes
-- run_start_by and run_ordered.
CREATE OR REPLACE FUNCTION "run_has_not_begun"(p_phase text, p_state text, p_attempt integer) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT p_phase IN ('live', 'untold', 'repeating', 'waiting') AND p_state IN ('planned', 'queued', 'waiting') AND p_attempt = 0;
$$;
