-- Readers of runs that may have ended ask this view. Open runs and the ledger become two tables behind it.
CREATE VIEW "any_run" WITH (security_invoker = true) AS SELECT * FROM "run";
