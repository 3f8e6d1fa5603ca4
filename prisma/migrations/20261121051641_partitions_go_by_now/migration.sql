-- schema.prisma has not changed: this migration is written by hand.

-- By now(), as everything else: in a test fleet, whose time is moved, a keyword such as current_date would still give the real one.
-- Drops the partitions of a table in which nothing is younger than the longest retention of any task (30 days
-- where none is longer). Open runs and the last run of each task move to the default partition first.
CREATE OR REPLACE FUNCTION "drop_old_partitions"(p_parent text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  v_keep integer;
  v_part record;
BEGIN
  SELECT greatest(30, coalesce(max((definition->>'retentionDays')::integer), 0)) INTO v_keep FROM task;
  FOR v_part IN
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = quote_ident(p_parent)::regclass
      AND c.relname ~ ('^' || p_parent || '_p[0-9]{8}$')
      AND to_date(right(c.relname, 8), 'YYYYMMDD') < now()::date - v_keep - 7
    ORDER BY 1
  LOOP
    EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', p_parent, v_part.name);
    IF p_parent = 'run' THEN
      EXECUTE format('INSERT INTO run SELECT r.* FROM %I r WHERE r.finished_at IS NULL OR r.attempt > 0 AND NOT EXISTS
        (SELECT FROM run l WHERE l.task_id = r.task_id AND l.attempt > 0 AND l.scheduled_for > r.scheduled_for)
        AND NOT EXISTS (SELECT FROM %I l WHERE l.task_id = r.task_id AND l.attempt > 0 AND l.scheduled_for > r.scheduled_for)',
        v_part.name, v_part.name);
    END IF;
    EXECUTE format('DROP TABLE %I', v_part.name);
    RETURN NEXT v_part.name;
  END LOOP;
END $$;
