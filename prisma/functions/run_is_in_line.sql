-- Whether a run is due and has not begun, so that later runs of its key wait for it where the policy asks for an order. A run
-- that is to be cancelled, or has waited for long enough, never begins and does not count.
CREATE OR REPLACE FUNCTION "run_is_in_line"(
  p_phase text, p_state text, p_attempt integer, p_due_at timestamptz, p_cancel_requested_at timestamptz, p_wait_until timestamptz
) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT run_has_not_begun(p_phase, p_state, p_attempt) AND run_is_due(p_due_at) AND NOT run_is_cancelled(p_cancel_requested_at)
    AND NOT (p_state = 'waiting' AND run_has_overwaited(p_wait_until));
$$;
