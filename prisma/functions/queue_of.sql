-- The queue of runs of a pool with one need; core/queue-name.ts says the same.
CREATE OR REPLACE FUNCTION "queue_of"(p_pool text, p_need text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT p_pool || coalesce('+' || p_need, '') $$;
