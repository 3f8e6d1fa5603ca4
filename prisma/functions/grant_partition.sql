-- Gives everybody the rights on a partition that they have on its table: some statements name the week that they need. For the
-- owner alone.
CREATE OR REPLACE FUNCTION "grant_partition"(p_table text, p_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_right record;
BEGIN
  FOR v_right IN
    SELECT a.privilege_type, a.grantee::regrole AS grantee FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = quote_ident(p_table)::regclass AND a.grantee NOT IN (0, c.relowner)
  LOOP
    EXECUTE format('GRANT %s ON %I TO %s', v_right.privilege_type, p_name, v_right.grantee);
  END LOOP;
END $$;
