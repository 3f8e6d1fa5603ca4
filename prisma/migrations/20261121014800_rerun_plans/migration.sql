-- They take a few hundred runs and look each up by its key: a plan that is cached while a partition is small would be a
-- scan or a hash join, and stay so.
ALTER FUNCTION "rerun_runs" SET enable_seqscan = off;
ALTER FUNCTION "rerun_runs" SET enable_hashjoin = off;
ALTER FUNCTION "rerun_runs" SET enable_mergejoin = off;
ALTER FUNCTION "resolve_run" SET enable_seqscan = off;
ALTER FUNCTION "release_key_slot" SET enable_seqscan = off;
