-- Whether a run is due by the schedule of its task, or by what a run of it has decided: nobody has asked for it.
CREATE OR REPLACE FUNCTION "run_is_of_schedule"(p_origin text, p_ordinal integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT p_origin IN ('schedule', 'catch_up') OR p_origin = 'chain' AND p_ordinal IS NOT DISTINCT FROM -1
$$;
