-- Somebody wants a run cancelled: no attempt of it begins.
-- This rule, and the others whose names begin with run_is_ or run_has_, are written here alone. The statements of store use them
-- through runs/admission.ts. When Postgres plans a statement it puts their text in place of the call, so that indexes serve them.
-- It does so only for functions of one expression, without settings, that are declared no more stable than what they call. A
-- test looks.
CREATE OR REPLACE FUNCTION "run_is_cancelled"(p_cancel_requested_at timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT p_cancel_requested_at IS NOT NULL;
$$;
