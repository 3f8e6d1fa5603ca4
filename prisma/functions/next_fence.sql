-- The fence of the next start after the one that had this fence; null: it is the first. At least the time of the start, Unix time
-- in milliseconds: a ledger that was restored, or that failed over and lost its last commits, then gives none that it gave before,
-- though it has forgotten which these were. See docs/decisions/0038.
CREATE OR REPLACE FUNCTION "next_fence"(p_fence bigint)
RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT greatest(p_fence + 1, (extract(epoch FROM now()) * 1000)::bigint);
$$;
