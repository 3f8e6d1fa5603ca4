-- The tasks that meet one of these selectors, a list of terms each: a task meets a term whose key it has with one of its values, and a
-- selector by meeting all of its terms. A function, so that a statement around it is planned for few tasks.
CREATE OR REPLACE FUNCTION "tasks_labelled"(p_namespace text, p_selectors jsonb) RETURNS TABLE ("task_id" uuid)
LANGUAGE sql STABLE ROWS 100 SET search_path FROM CURRENT AS $$
  SELECT l.task_id FROM jsonb_array_elements(p_selectors) AS selector(terms)
  -- Those of the first term by the index of values; the others are looked up task by task.
  CROSS JOIN LATERAL (
    SELECT l.task_id FROM task_label l
    WHERE l.namespace = p_namespace AND l.key = selector.terms->0->>'key'
      AND l.value = ANY (ARRAY(SELECT jsonb_array_elements_text(selector.terms->0->'values')))
    OFFSET 0
  ) l
  WHERE NOT EXISTS (
    SELECT FROM jsonb_array_elements(selector.terms - 0) AS term WHERE NOT EXISTS (
      SELECT FROM task_label m WHERE m.task_id = l.task_id AND m.key = term->>'key' AND term->'values' ? m.value))
$$;
