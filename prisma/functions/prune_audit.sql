-- Deletes entries of the audit that are older than a year: the only way by which one goes. Nobody but the owner has the right to delete.
CREATE OR REPLACE FUNCTION "prune_audit"() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM audit WHERE at < now() - interval '1 year'
$$;
