-- The duration that stands for a bucket of duration_bucket(), in milliseconds: in its middle, by ratio.
CREATE OR REPLACE FUNCTION "duration_of"(p_bucket integer) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_bucket = 0 THEN 0 ELSE 1.1::float8 ^ (p_bucket - 0.5) END
$$;
