-- What a token or user is granted at this moment: nothing if it was revoked, deleted or disabled. A token that has expired acts no more, but has not
-- lost what it was granted. Workers ask it of whoever saved a task; nothing of it lets anybody in.
CREATE OR REPLACE FUNCTION "grants_of"(p_namespace text, p_kind text, p_id text) RETURNS TABLE ("role" text, "rights" text[], "scope" text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT t.role, t.rights, t.scope FROM access_token t
  WHERE p_kind = 'token' AND t.namespace = p_namespace AND t.id = p_id AND t.revoked_at IS NULL
  UNION ALL SELECT u.role, u.rights, u.scope FROM access_user u
  WHERE p_kind = 'user' AND u.namespace = p_namespace AND u.id::text = p_id AND u.disabled IS NULL
$$;
