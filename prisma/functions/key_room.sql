-- Whether a run of that limit may hold a slot of the key beside those that do. Null: no; else what slot 1 is to say of the
-- limit from then on.
CREATE OR REPLACE FUNCTION "key_room"(p_namespace text, p_key text, p_limit integer, p_run uuid) RETURNS integer
LANGUAGE sql VOLATILE AS $$
  SELECT CASE WHEN h.taken >= least(p_limit, h.key_limit) THEN NULL
    WHEN h.agree AND coalesce(h.key_limit, p_limit) = p_limit THEN p_limit ELSE 0 END
  FROM key_holders(p_namespace, p_key, p_run) h;
$$;
