-- The runs that hold slots of a key, but for p_run: how many, the one that is longest there among those of the smallest
-- limit, that limit (null: none holds one) and whether all have that limit. A fresh look each time, as VOLATILE gives it.
CREATE OR REPLACE FUNCTION "key_holders"(p_namespace text, p_key text, p_run uuid)
RETURNS TABLE ("taken" integer, "holder" uuid, "key_limit" integer, "agree" boolean)
LANGUAGE sql VOLATILE SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  SELECT count(*)::integer, (array_agg(s.run_id ORDER BY h.key_limit, s.since, s.slot))[1], min(h.key_limit),
    min(h.key_limit) IS NOT DISTINCT FROM max(h.key_limit)
  FROM key_slot s JOIN run h ON h.id = s.run_id AND h.scheduled_for = s.run_scheduled_for
  WHERE s.namespace = p_namespace AND s.key = p_key AND s.run_id IS DISTINCT FROM p_run
    AND slot_taken(s.run_id, s.run_scheduled_for, s.since);
$$;
