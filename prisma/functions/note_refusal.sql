-- Notes that an act was refused to somebody: the same (act, object, right, why) once a minute, and of one principal at most 60 an hour, so that nobody
-- fills the audit. The last of them says so. It may be asked by who cannot read the audit; a worker refuses starts and nothing else.
CREATE OR REPLACE FUNCTION "note_refusal"(p_namespace text, p_by jsonb, p_action text, p_subject text, p_detail jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_noted integer;
  v_same boolean;
BEGIN
  IF p_action <> 'trigger' AND NOT has_function_privilege(session_user, 'save_any_task()', 'EXECUTE') THEN
    RAISE EXCEPTION 'permission denied: % may note refusals of "trigger" only', quote_ident(session_user)
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT count(*), coalesce(bool_or(a.action = p_action AND a.subject = p_subject AND a.detail - 'more' = p_detail
    AND a.at > now() - interval '1 minute'), false)
  INTO v_noted, v_same
  FROM audit a JOIN acting(p_by) who ON a.principal_id = who.id AND a.principal_kind = who.kind
  WHERE a.namespace = p_namespace AND a.refused AND a.at > now() - interval '1 hour';
  IF v_same OR v_noted >= 60 THEN
    RETURN;
  END IF;
  INSERT INTO audit (principal_kind, principal_id, principal_name, principal_address, reason, request_id, namespace, action, subject, detail, refused)
  SELECT who.*, p_namespace, p_action, p_subject,
    p_detail || CASE v_noted WHEN 59 THEN '{"more": "further refusals of this hour are not noted"}' ELSE '{}' END::jsonb, true
  FROM acting(p_by) who;
END $$;
