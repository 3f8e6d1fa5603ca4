-- Rows may arrive in the default partition while those of the new one are taken out of it: those would have made the
-- attachment fail. Its lock, which the attachment takes in any case, is taken first; rows that wait for it are
-- as before refused, and their writers try again.
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
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', p_parent || '_default');
  EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
    p_parent || '_default', p_column, p_from, p_column, p_to, p_name);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', p_parent, p_name, p_from, p_to);
  RETURN true;
END $$;
