-- A need that one worker alone meets; p_worker null: any does. core/queue-name.ts says the same.
CREATE OR REPLACE FUNCTION "need_on"(p_need text, p_worker text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN p_worker IS NULL THEN p_need ELSE coalesce(p_need, '') || '@' || p_worker END $$;
