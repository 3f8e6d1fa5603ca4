-- A run waits for just the job of that dispatch number: it was queued with it, or not yet marked as queued.
CREATE OR REPLACE FUNCTION "run_is_of_job"(p_state text, p_dispatch integer, p_job_dispatch integer) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT p_state = 'queued' AND p_dispatch = p_job_dispatch
    OR p_state IN ('planned', 'retrying') AND p_dispatch = p_job_dispatch - 1;
$$;
