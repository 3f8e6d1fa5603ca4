-- Who may not save any task, a worker, adds entries of processes and none in the name of people, tokens or the command line. What it refuses
-- to those goes by note_refusal().
CREATE OR REPLACE FUNCTION "guard_audit"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW.principal_kind = 'process' OR has_function_privilege('save_any_task()', 'EXECUTE') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'permission denied: % may add entries of processes to the audit only', quote_ident(current_user)
    USING ERRCODE = 'insufficient_privilege';
END $$;
