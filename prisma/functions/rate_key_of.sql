-- The key under which the starts of a run are counted: the template with each {{payload.a.b}} replaced. A field that the
-- payload lacks counts as empty: such runs share what is allowed. Of a very long one the beginning and a hash: an index has room
-- for no more. One that begins with @ gets a second one: with a single one begin those of pools.
CREATE OR REPLACE FUNCTION "rate_key_of"(p_template text, p_payload jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_key text := p_template;
  v_field text[];
BEGIN
  FOR v_field IN SELECT regexp_matches(p_template, '(\{\{\s*payload\.([^{}]*?)\s*\}\})', 'g') LOOP
    v_key := replace(v_key, v_field[1], coalesce(p_payload #>> string_to_array(v_field[2], '.'), ''));
  END LOOP;
  IF v_key LIKE '@%' THEN
    v_key := '@' || v_key;
  END IF;
  RETURN CASE WHEN length(v_key) > 512 THEN left(v_key, 480) || md5(v_key) ELSE v_key END;
END $$;
