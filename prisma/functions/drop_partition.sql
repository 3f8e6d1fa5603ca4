-- Drops what take_partition_out() has taken out.
CREATE OR REPLACE FUNCTION "drop_partition"(p_table text, p_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '30ms' AS $$
BEGIN
  PERFORM old_partition_end(p_table, p_name, false);
  EXECUTE format('DROP TABLE %I', p_name);
END $$;
