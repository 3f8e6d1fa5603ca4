-- As guard_task(): who may not save any task adds the versions that its tasks have, and no others.
CREATE OR REPLACE FUNCTION "guard_task_version"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF has_function_privilege('save_any_task()', 'EXECUTE') OR NEW.source = 'code' AND NEW.saver_kind = 'process' AND EXISTS (SELECT FROM task t
    WHERE t.id = NEW.task_id AND t.version = NEW.version AND t.definition = NEW.definition AND t.source = 'code'
      AND t.definition#>>'{handler,type}' = 'code') THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'permission denied: % may save versions of tasks of code only', quote_ident(current_user)
    USING ERRCODE = 'insufficient_privilege';
END $$;
