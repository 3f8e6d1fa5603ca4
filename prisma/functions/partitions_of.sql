-- The partitions of a table, oldest first. from_at is null where there is no lower bound.
CREATE OR REPLACE FUNCTION "partitions_of"(p_parent text) RETURNS TABLE ("name" text, "from_at" timestamptz, "to_at" timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT c.relname::text, substring(b.bound FROM 'FROM \(''([^'']+)''\)')::timestamptz AS from_at,
    substring(b.bound FROM 'TO \(''([^'']+)''\)')::timestamptz
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound) b
  WHERE i.inhparent = quote_ident(p_parent)::regclass
  ORDER BY from_at NULLS FIRST
$$;
