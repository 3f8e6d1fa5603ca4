-- A run's time has come. Before it none begins (I7).
CREATE OR REPLACE FUNCTION "run_is_due"(p_due_at timestamptz) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT p_due_at <= now();
$$;
