-- Makes the partition of a range, unless it is there or the range lies before the oldest week. The one place where a
-- partition gets its storage parameters: LIKE does not take those of its parent. Its locks (SHARE UPDATE EXCLUSIVE on the
-- parent) are in nobody's way who reads or writes.
CREATE OR REPLACE FUNCTION "make_partition"(p_parent text, p_name text, p_from timestamptz, p_to timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF partition_is_there(p_parent, p_name, p_from) THEN
    RETURN false;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('escapement partition ' || p_parent));
  IF partition_is_there(p_parent, p_name, p_from) THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED)%s', p_name, p_parent,
    CASE p_parent WHEN 'run' THEN ' WITH (fillfactor = 60)' ELSE '' END);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', p_parent, p_name, p_from, p_to);
  RETURN true;
END $$;
