-- I4: a terminal row never changes.
CREATE OR REPLACE FUNCTION "refuse_terminal_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'run % ended as % and cannot change', OLD.id, OLD.state
    USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'run_terminal_is_final';
END $$;
