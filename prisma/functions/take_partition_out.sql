-- Takes a partition, past the time for which runs are kept, out of its table. Of runs and attempts the one that lies before all weeks
-- covers its range from then on, and takes over the rows p_kept at once. Everybody else waits for as long as this lasts: it gives up after
-- 30 ms without its lock, and does nothing but move some hundred rows and entries of the catalog. The bound of that one must be proven
-- (prove_old_bound), so that nothing is scanned. Function and all in one statement: no stalled client can hold the lock.
CREATE OR REPLACE FUNCTION "take_partition_out"(p_table text, p_name text, p_kept tid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET timezone = 'UTC' SET datestyle = 'ISO' SET lock_timeout = '30ms' AS $$
DECLARE
  v_end timestamptz := old_partition_end(p_table, p_name, true);
  v_old text := p_table || '_old';
  v_moves text := coalesce(current_setting('escapement.moves_rows', true), '');
BEGIN
  -- Not in the head of the function: only a superuser may make a function that sets a parameter of ours.
  PERFORM set_config('escapement.moves_rows', 'on', true);
  EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', p_table);
  EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', p_table, p_name);
  IF p_table IN ('run', 'attempt') THEN
    EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', p_table, v_old);
    EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM %I WHERE ctid = ANY ($1) ON CONFLICT DO NOTHING', v_old,
      columns_of(quote_ident(v_old)::regclass), columns_of(quote_ident(v_old)::regclass), p_name) USING p_kept;
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', p_table, v_old, v_end);
  END IF;
  PERFORM set_config('escapement.moves_rows', v_moves, true);
END $$;
