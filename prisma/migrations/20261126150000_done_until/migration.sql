-- Up to when what the lock is for has been done; null: it is not for something that is done up to an instant, or was never done.
ALTER TABLE "cluster_lock" ADD COLUMN "done_until" timestamptz(3);
