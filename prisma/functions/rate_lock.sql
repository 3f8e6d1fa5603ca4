-- Locks the buckets of rates for who is about to take tokens, always in the order of their keys: so two that take tokens of the same ones
-- wait for each other, and never in a circle. Called after runs and slots are locked.
CREATE OR REPLACE FUNCTION "rate_lock"(p_namespace text, p_rate_keys text[]) RETURNS integer
LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
DECLARE
  v_key text;
  v_locked integer := 0;
BEGIN
  FOR v_key IN SELECT DISTINCT k COLLATE "C" AS k FROM unnest(p_rate_keys) AS k ORDER BY k LOOP
    -- A bucket that was pruned between the two is made anew.
    LOOP
      INSERT INTO rate_bucket (namespace, rate_key) VALUES (p_namespace, v_key) ON CONFLICT DO NOTHING;
      PERFORM FROM rate_bucket b WHERE b.namespace = p_namespace AND b.rate_key = v_key FOR UPDATE;
      EXIT WHEN FOUND;
    END LOOP;
    v_locked := v_locked + 1;
  END LOOP;
  RETURN v_locked;
END $$;
