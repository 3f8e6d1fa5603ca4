-- Takes a partition out of its table. p_old not null: that one, which lies before it, covers its range from then on, and takes
-- over the rows p_kept at once. Everybody else waits for as long as this lasts: it gives up after 30 ms without its lock, and
-- does nothing but move some hundred rows and entries of the catalog. The bound of p_old must be proven by a CHECK, so that
-- nothing is scanned. Function and all in one statement: no stalled client can hold the lock.
CREATE OR REPLACE FUNCTION "take_partition_out"(p_parent text, p_name text, p_old text, p_kept tid[]) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '30ms' AS $$
DECLARE
  v_to timestamptz;
  v_moves text := coalesce(current_setting('escapement.moves_rows', true), '');
BEGIN
  -- Not in the head of the function: only a superuser may make a function that sets a parameter of ours.
  PERFORM set_config('escapement.moves_rows', 'on', true);
  EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', p_parent);
  SELECT p.to_at INTO STRICT v_to FROM partitions_of(p_parent) p WHERE p.name = p_name;
  EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', p_parent, p_name);
  IF p_old IS NOT NULL THEN
    EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', p_parent, p_old);
    EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM %I WHERE ctid = ANY ($1) ON CONFLICT DO NOTHING', p_old, columns_of(p_old::regclass),
      columns_of(p_old::regclass), p_name) USING p_kept;
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', p_parent, p_old, v_to);
  END IF;
  PERFORM set_config('escapement.moves_rows', v_moves, true);
END $$;
