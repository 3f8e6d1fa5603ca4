-- How long a partition of a table is. Refuses what is none of the partitioned tables.
CREATE OR REPLACE FUNCTION "partition_span"(p_table text) RETURNS interval LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF p_table IS NULL OR p_table NOT IN ('run', 'attempt', 'task_hour', 'run_log_chunk') THEN
    RAISE EXCEPTION 'there is no partitioned table %', quote_nullable(p_table) USING ERRCODE = 'invalid_parameter_value';
  END IF;
  RETURN CASE p_table WHEN 'run_log_chunk' THEN interval '24 hours' ELSE interval '168 hours' END;
END $$;
