-- How long a slot or a token stays reserved for the run that was woken for it: RESERVATION_MS of core/lease-times.ts, for the functions
-- here. A test compares them. Computed when a statement is planned.
CREATE OR REPLACE FUNCTION "reservation"() RETURNS interval LANGUAGE sql IMMUTABLE AS $$
  SELECT interval '5 s'
$$;
