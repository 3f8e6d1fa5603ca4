-- Since when somebody looks for alerts without a break: what is silent after an outage is silent from then on.
ALTER TABLE "alert_watch" ADD COLUMN "watched_since" timestamptz(3) NOT NULL DEFAULT now();
