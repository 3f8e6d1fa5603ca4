-- Whether a partition is there, or its range lies before the oldest week. Reads one bound at most: there may be hundreds.
CREATE OR REPLACE FUNCTION "partition_is_there"(p_parent text, p_name text, p_from timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = quote_ident(p_parent)::regclass AND CASE c.relname
      WHEN p_name THEN true
      WHEN p_parent || '_old' THEN p_from < substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz
      ELSE false END)
$$;
