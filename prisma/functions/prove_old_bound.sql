-- Proves what add_old_bound() says, under a lock that is in nobody's way.
CREATE OR REPLACE FUNCTION "prove_old_bound"(p_table text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '30ms' AS $$
BEGIN
  PERFORM partition_span(p_table);
  EXECUTE format('ALTER TABLE %I VALIDATE CONSTRAINT %I', p_table || '_old', p_table || '_old_bound');
END $$;
