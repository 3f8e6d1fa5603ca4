-- The columns that a row is copied with. Generated ones are computed, not copied.
CREATE OR REPLACE FUNCTION "columns_of"(p_table regclass) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
  WHERE attrelid = p_table AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
$$;
