-- For how many days the runs of every task are kept: a partition goes when all that is in it is older. Read from the end of an index.
CREATE OR REPLACE FUNCTION "keep_days"() RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT least(greatest(30, coalesce(max((definition->>'retentionDays')::integer), 0)), 3650) FROM task
$$;
