-- Partitions are made and taken away while a fleet is at work. No default partition: with one, each new partition has to
-- wait for all who read it, and everybody else behind that. What is older than the oldest week lies in `run_old` and
-- `attempt_old`, from minus infinity on; a week that is missing is made by whoever inserts into it.
DROP FUNCTION "ensure_partition"(text, text, text, timestamptz, timestamptz);
DROP FUNCTION "drop_old_partitions"(text);

-- The partitions of a table, oldest first. from_at is null where there is no lower bound.
CREATE FUNCTION "partitions_of"(p_parent text) RETURNS TABLE ("name" text, "from_at" timestamptz, "to_at" timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT c.relname::text, substring(b.bound FROM 'FROM \(''([^'']+)''\)')::timestamptz AS from_at,
    substring(b.bound FROM 'TO \(''([^'']+)''\)')::timestamptz
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound) b
  WHERE i.inhparent = quote_ident(p_parent)::regclass
  ORDER BY from_at NULLS FIRST
$$;

-- Whether a partition is there, or its range lies before the oldest week. Reads one bound at most: there may be hundreds.
CREATE FUNCTION "partition_is_there"(p_parent text, p_name text, p_from timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = quote_ident(p_parent)::regclass AND CASE c.relname
      WHEN p_name THEN true
      WHEN p_parent || '_old' THEN p_from < substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz
      ELSE false END)
$$;

-- Makes the partition of a range, unless it is there or the range lies before the oldest week. The one place where a
-- partition gets its storage parameters: LIKE does not take those of its parent. Its locks (SHARE UPDATE EXCLUSIVE on the
-- parent) are in nobody's way who reads or writes.
CREATE FUNCTION "make_partition"(p_parent text, p_name text, p_from timestamptz, p_to timestamptz)
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

-- Takes a partition out of its table. p_old not null: that one, which lies before it, covers its range from then on, and takes
-- over the rows p_kept at once. Everybody else waits for as long as this lasts: it gives up after 30 ms without its lock, and
-- does nothing but move some hundred rows and entries of the catalog. The bound of p_old must be proven by a CHECK, so that
-- nothing is scanned. Function and all in one statement: no stalled client can hold the lock.
CREATE FUNCTION "take_partition_out"(p_parent text, p_name text, p_old text, p_kept tid[]) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '30ms' SET "escapement.moves_rows" = 'on' AS $$
DECLARE
  v_to timestamptz;
BEGIN
  EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', p_parent);
  SELECT p.to_at INTO STRICT v_to FROM partitions_of(p_parent) p WHERE p.name = p_name;
  EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', p_parent, p_name);
  IF p_old IS NOT NULL THEN
    EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', p_parent, p_old);
    EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM %I WHERE ctid = ANY ($1) ON CONFLICT DO NOTHING', p_old, columns_of(p_old::regclass),
      columns_of(p_old::regclass), p_name) USING p_kept;
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', p_parent, p_old, v_to);
  END IF;
END $$;

-- Rows that only move tell nobody: what follows them was noted when they were made.
DROP TRIGGER "run_never_run" ON "run";
CREATE TRIGGER "run_never_run" AFTER INSERT ON "run" FOR EACH ROW
  WHEN (NEW."watched" AND NEW."finished_at" IS NOT NULL AND current_setting('escapement.moves_rows', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION "note_run_change"();

-- The default partitions go; what is in them moves to where it belongs.
DO $$
DECLARE
  v_table record;
  v_old timestamptz;
  v_at timestamptz;
BEGIN
  PERFORM set_config('escapement.moves_rows', 'on', true);
  FOR v_table IN SELECT * FROM (VALUES ('run', 'scheduled_for', 7), ('attempt', 'scheduled_for', 7), ('run_log_chunk', 'written_at', 1))
    AS t(name, at, days) LOOP
    EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', v_table.name, v_table.name || '_default');
    -- Weeks begin on Thursdays, as the epoch does.
    SELECT least(min(p.from_at), date_bin(v_table.days * interval '1 day', now(), timestamptz 'epoch')) INTO v_old
    FROM partitions_of(v_table.name) p;
    IF v_table.name <> 'run_log_chunk' THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (MINVALUE) TO (%L)', v_table.name || '_old', v_table.name, v_old);
    END IF;
    FOR v_at IN EXECUTE format(
      'SELECT date_bin(%L, d.at, timestamptz ''epoch'') FROM (SELECT DISTINCT %I AS at FROM %I) d
       UNION SELECT date_bin(%L, now() + n * interval ''1 day'', timestamptz ''epoch'') FROM generate_series(0, 21) AS n ORDER BY 1',
      v_table.days * interval '1 day', v_table.at, v_table.name || '_default', v_table.days * interval '1 day')
    LOOP
      PERFORM make_partition(v_table.name, v_table.name || '_p' || to_char(v_at AT TIME ZONE 'UTC', 'YYYYMMDD'), v_at,
        v_at + v_table.days * interval '1 day');
    END LOOP;
    EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM %I', v_table.name, columns_of(v_table.name::regclass), columns_of(v_table.name::regclass),
      v_table.name || '_default');
    EXECUTE format('DROP TABLE %I', v_table.name || '_default');
  END LOOP;
END $$;
