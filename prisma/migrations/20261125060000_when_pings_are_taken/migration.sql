-- When an API last said that it takes pings. Null: none ever did.
ALTER TABLE "alert_watch" ADD COLUMN "heard_at" timestamptz(3);

-- The last time in which none did, and the heartbeat waited for a ping.
ALTER TABLE "heartbeat" ADD COLUMN "unheard_from" timestamptz(3),
  ADD COLUMN "unheard_until" timestamptz(3),
  ADD CONSTRAINT "heartbeat_unheard" CHECK (("unheard_from" IS NULL) = ("unheard_until" IS NULL));
