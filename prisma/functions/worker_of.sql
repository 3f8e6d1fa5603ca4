-- The worker that a run with this need belongs to; null: to none. core/queue-name.ts says the same.
CREATE OR REPLACE FUNCTION "worker_of"(p_need text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT nullif(split_part(p_need, '@', 2), '') $$;
