-- Makes the partition that an instant falls into, unless it is there or the instant lies before the oldest week. The one place where
-- a partition gets its storage parameters: LIKE does not take those of its parent. Its locks (SHARE UPDATE EXCLUSIVE on the
-- parent) are in nobody's way who reads or writes.
-- By the right of the owner, for whoever may be the first to write into a week: table and instant are checked, all names are made here.
CREATE OR REPLACE FUNCTION "make_partition"(p_table text, p_at timestamptz) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
DECLARE
  v_span interval := partition_span(p_table);
  v_from timestamptz;
  v_name text;
BEGIN
  IF p_at IS NULL OR NOT isfinite(p_at) OR p_at > now() + interval '20 years' THEN
    RAISE EXCEPTION 'no partition is made for %: it is more than 20 years ahead, or no instant', p_at USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- Weeks begin on Thursdays, as the epoch does.
  v_from := date_bin(v_span, p_at, timestamptz 'epoch');
  v_name := p_table || '_p' || to_char(v_from, 'YYYYMMDD');
  IF partition_is_there(p_table, v_name, v_from) THEN
    RETURN false;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('escapement partition ' || p_table));
  IF partition_is_there(p_table, v_name, v_from) THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED)%s', v_name, p_table,
    CASE p_table WHEN 'run' THEN ' WITH (fillfactor = 40)' ELSE '' END);
  PERFORM grant_partition(p_table, v_name);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', p_table, v_name, v_from, v_from + v_span);
  RETURN true;
END $$;
