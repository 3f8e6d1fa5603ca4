-- Schedulers that start at the same moment make the same partitions. After the wait for the lock the name must be
-- looked up under a new snapshot: to_regclass() remembers from before the wait that there was none, since an advisory
-- lock, unlike a table's, does not make a session take notice of what others have created meanwhile.
CREATE OR REPLACE FUNCTION "ensure_partition"(p_parent text, p_column text, p_name text, p_from timestamptz, p_to timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_class WHERE relname = p_name AND relnamespace = current_schema()::regnamespace) THEN
    RETURN false;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('escapement partition ' || p_parent));
  IF EXISTS (SELECT FROM pg_class WHERE relname = p_name AND relnamespace = current_schema()::regnamespace) THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', p_name, p_parent);
  EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
    p_parent || '_default', p_column, p_from, p_column, p_to, p_name);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', p_parent, p_name, p_from, p_to);
  RETURN true;
END $$;
