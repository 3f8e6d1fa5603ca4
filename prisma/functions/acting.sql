-- Who acts, why and in which request, of the parameter that each act has: the columns of the audit, in this order.
CREATE OR REPLACE FUNCTION "acting"(p_by jsonb)
RETURNS TABLE ("kind" text, "id" text, "name" text, "address" text, "reason" text, "request_id" text)
LANGUAGE sql IMMUTABLE AS $$
  SELECT p_by->>'kind', p_by->>'id', p_by->>'name', p_by->>'address', p_by->>'reason', p_by->>'request_id'
$$;
