-- Gives partitions that lack rights of their table these rights, and says which there were. granted: false where the partition belongs to
-- somebody else, who alone can give them. By the right of the owner; it takes no arguments, and gives nobody more than he has on the table.
CREATE OR REPLACE FUNCTION "grant_partitions"() RETURNS TABLE ("name" text, "granted" boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_lacking record;
BEGIN
  IF NOT EXISTS (SELECT FROM partitions_without_rights()) THEN
    RETURN;
  END IF;
  -- Two at once would change the same rows of the catalog.
  PERFORM pg_advisory_xact_lock(hashtext('escapement grant partitions'));
  FOR v_lacking IN SELECT p.parent, p.name FROM partitions_without_rights() p LOOP
    name := v_lacking.name;
    BEGIN
      PERFORM grant_partition(v_lacking.parent, v_lacking.name);
      granted := true;
    EXCEPTION WHEN insufficient_privilege THEN
      granted := false;
    END;
    RETURN NEXT;
  END LOOP;
END $$;
