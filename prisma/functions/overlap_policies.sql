-- The overlap policies of which a fact is true: OVERLAP_RULES of core/overlap.ts, for the functions here. A test compares them.
-- Computed when a statement is planned: the index run_ordered serves `overlap = ANY (overlap_policies('oldest-first'))`.
CREATE OR REPLACE FUNCTION "overlap_policies"(p_fact text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_fact
    WHEN 'ordered' THEN ARRAY['wait-all', 'replace']
    WHEN 'oldest-first' THEN ARRAY['wait-all']
    WHEN 'newest-first' THEN ARRAY['replace']
    WHEN 'replacing' THEN ARRAY['replace']
    WHEN 'not-waiting' THEN ARRAY['skip', 'allow']
    WHEN 'without-slot' THEN ARRAY['allow']
    WHEN 'in-turn' THEN ARRAY['wait-all']
  END;
$$;
