-- The policy of a run that must not be skipped by the runs it comes with; p_overlap: its task's.
CREATE OR REPLACE FUNCTION "overlap_in_turn"(p_overlap text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_overlap = ANY (overlap_policies('without-slot')) THEN p_overlap ELSE (overlap_policies('in-turn'))[1] END;
$$;
