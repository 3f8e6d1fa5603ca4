-- A definition is a command. Who may not save any task (save_any_task) saves those that run code which the workers have anyhow, over
-- such ones or deleted ones, and deletes none.
CREATE OR REPLACE FUNCTION "guard_task"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF has_function_privilege('save_any_task()', 'EXECUTE') THEN
    RETURN NEW;
  END IF;
  IF NEW.source = 'code' AND NEW.definition#>>'{handler,type}' = 'code' AND NEW.deleted_at IS NULL AND (TG_OP = 'INSERT'
    OR (NEW.id, NEW.namespace, NEW.name) = (OLD.id, OLD.namespace, OLD.name)
      AND (OLD.deleted_at IS NOT NULL OR OLD.source = 'code' AND OLD.definition#>>'{handler,type}' = 'code')) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'permission denied: % may save tasks of code only, not the task %', quote_ident(current_user), quote_literal(NEW.name)
    USING ERRCODE = 'insufficient_privilege';
END $$;
