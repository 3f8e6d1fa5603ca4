-- A begin stays on its page if there is room for a second version of each row on it: with a fillfactor of 60 there was for half of them.
-- make_partition gives it to new partitions. Rows that are there stay where they are.
DO $$
DECLARE
  v_partition record;
BEGIN
  FOR v_partition IN SELECT inhrelid::regclass AS name FROM pg_inherits WHERE inhparent = '"run"'::regclass LOOP
    EXECUTE format('ALTER TABLE %s SET (fillfactor = 40)', v_partition.name);
  END LOOP;
END $$;
