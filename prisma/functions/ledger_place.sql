-- Where this ledger is: system identifier of the cluster, timeline and tables, separated by `/`, and how much Postgres has safely
-- written. Both are null where Postgres does not say it, as some managed ones refuse to, each in its own way. See docs/decisions/0038.
CREATE OR REPLACE FUNCTION "ledger_place"() RETURNS TABLE ("place" text, "lsn" text) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT concat_ws('/', s.system_identifier, left(pg_walfile_name(l.lsn), 8),
      (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()) || '.' || 'queue_watch'::regclass::oid), l.lsn::text
    FROM pg_control_system() s, pg_current_wal_flush_lsn() l(lsn);
EXCEPTION WHEN OTHERS THEN
  RETURN QUERY SELECT NULL::text, NULL::text;
END $$;
