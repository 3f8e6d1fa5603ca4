-- Partitions that lack a right which somebody has on their table: not made by make_partition(), but by hand.
CREATE OR REPLACE FUNCTION "partitions_without_rights"() RETURNS TABLE ("parent" text, "name" text) LANGUAGE sql STABLE AS $$
  SELECT t.name, p.name FROM unnest(ARRAY['run', 'attempt', 'task_hour', 'run_log_chunk']) AS t(name), partitions_of(t.name) p
  WHERE EXISTS (
    SELECT FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = quote_ident(t.name)::regclass AND a.grantee NOT IN (0, c.relowner)
      AND NOT has_table_privilege(a.grantee, quote_ident(p.name)::regclass, a.privilege_type))
$$;
