-- The key under which the starts of a pool are counted. That of no task begins with a single @: see rate_key_of().
CREATE OR REPLACE FUNCTION "pool_rate_key"(p_pool text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT '@pool:' || p_pool
$$;
