-- When a partition ends that may be dropped: one of that table, by its name, that is past the time for which runs are kept. p_attached:
-- whether it still belongs to the table. Refuses any other name, with what it is.
CREATE OR REPLACE FUNCTION "old_partition_end"(p_table text, p_name text, p_attached boolean) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_end timestamptz;
BEGIN
  IF p_attached THEN
    SELECT p.to_at INTO v_end FROM partitions_of(p_table) p WHERE p.name = p_name AND p.from_at IS NOT NULL;
  ELSE
    SELECT (to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC') + partition_span(p_table) INTO v_end FROM pg_class c
    WHERE c.relname = p_name AND c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind = 'r' AND NOT c.relispartition
      AND c.relname ~ ('^' || p_table || '_p[0-9]{8}$');
  END IF;
  IF v_end IS NULL OR v_end > now() - keep_days() * interval '1 day' THEN
    RAISE EXCEPTION '% is no partition of % that may go', quote_nullable(p_name), quote_nullable(p_table) USING ERRCODE = 'invalid_parameter_value';
  END IF;
  RETURN v_end;
END $$;
