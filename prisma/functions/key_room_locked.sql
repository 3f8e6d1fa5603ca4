-- As key_room, for a run that takes another slot than the first, under the lock of the first one's row.
CREATE OR REPLACE FUNCTION "key_room_locked"(p_namespace text, p_key text, p_limit integer, p_run uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_agreed integer;
BEGIN
  INSERT INTO key_slot AS s (namespace, key, slot) VALUES (p_namespace, p_key, 1) ON CONFLICT DO NOTHING;
  SELECT s.key_limit INTO v_agreed FROM key_slot s
  WHERE s.namespace = p_namespace AND s.key = p_key AND s.slot = 1 FOR UPDATE;
  IF v_agreed = p_limit THEN
    RETURN true;
  END IF;
  v_agreed := key_room(p_namespace, p_key, p_limit, p_run);
  UPDATE key_slot s SET key_limit = v_agreed
  WHERE s.namespace = p_namespace AND s.key = p_key AND s.slot = 1 AND s.key_limit <> v_agreed;
  RETURN v_agreed IS NOT NULL;
END $$;
