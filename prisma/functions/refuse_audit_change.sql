-- What was done stays on record for a year: prune_audit() deletes what is older.
CREATE OR REPLACE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    RAISE EXCEPTION 'the audit cannot be emptied' USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'audit_is_final';
  END IF;
  IF TG_OP = 'DELETE' AND OLD.at < now() - interval '1 year' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'entry % of the audit cannot be changed, and deleted only after a year', OLD.id
    USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'audit_is_final';
END $$;
