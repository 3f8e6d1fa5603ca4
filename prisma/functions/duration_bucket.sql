-- The bucket of a duration: 0 below a millisecond, n from 1.1 ^ (n - 1) ms up to 1.1 ^ n. core/digest.ts has the way back.
CREATE OR REPLACE FUNCTION "duration_bucket"(p_took interval) RETURNS smallint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_took < interval '1 ms' THEN 0
    ELSE 1 + floor(ln((extract(epoch FROM p_took) * 1000)::float8) / ln(1.1::float8)) END::smallint
$$;
