-- Adds items to the end of a list. p_run: null, or the run that adds, and then p_first how many it has added before these:
-- what an earlier attempt has added is not added again.
CREATE OR REPLACE FUNCTION "add_to_list"(p_namespace text, p_list text, p_items jsonb, p_run uuid, p_first integer) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_skip integer := 0;
  v_count integer := jsonb_array_length(p_items);
  v_next bigint;
BEGIN
  IF p_run IS NOT NULL THEN
    INSERT INTO work_list_fill AS f (run_id, namespace, list, added) VALUES (p_run, p_namespace, p_list, 0)
    ON CONFLICT (run_id, list) DO UPDATE SET added = f.added RETURNING f.added - p_first INTO v_skip;
    v_skip := least(greatest(v_skip, 0), v_count);
    UPDATE work_list_fill f SET added = greatest(f.added, p_first + v_count) WHERE f.run_id = p_run AND f.list = p_list;
  END IF;
  IF v_skip = v_count THEN
    RETURN 0;
  END IF;
  INSERT INTO work_list AS l (namespace, name, next) VALUES (p_namespace, p_list, v_count - v_skip)
  ON CONFLICT (namespace, name) DO UPDATE SET next = l.next + excluded.next
  RETURNING l.next - (v_count - v_skip) INTO v_next;
  INSERT INTO work_item (namespace, list, place, item)
  SELECT p_namespace, p_list, v_next + e.ord - v_skip - 1, e.item
  FROM jsonb_array_elements(p_items) WITH ORDINALITY AS e(item, ord) WHERE e.ord > v_skip;
  RETURN v_count - v_skip;
END $$;
