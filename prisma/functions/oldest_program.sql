-- The oldest version of the programs that this schema serves. A release raises it when it takes something away that older programs use.
CREATE OR REPLACE FUNCTION "oldest_program"() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT '0.1.0' $$;
