-- Says of the partition before all weeks that its rows lie before the end of a week that is to be taken out. prove_old_bound() proves it.
CREATE OR REPLACE FUNCTION "add_old_bound"(p_table text, p_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET timezone = 'UTC' SET datestyle = 'ISO' SET lock_timeout = '30ms' AS $$
DECLARE
  v_end timestamptz := old_partition_end(p_table, p_name, true);
BEGIN
  EXECUTE format('ALTER TABLE %1$I DROP CONSTRAINT IF EXISTS %2$I, ADD CONSTRAINT %2$I CHECK (scheduled_for < %3$L) NOT VALID',
    p_table || '_old', p_table || '_old_bound', v_end);
END $$;
