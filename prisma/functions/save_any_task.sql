-- Does nothing: the right to call it is the right to save any task. Who lacks it, a worker, saves only those of code: guard_task().
CREATE OR REPLACE FUNCTION "save_any_task"() RETURNS void LANGUAGE sql IMMUTABLE AS $$
  SELECT
$$;
