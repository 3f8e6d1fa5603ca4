-- A job that runs elsewhere is watched by a monitor. A heartbeat is the sign of life of a process.
ALTER TABLE "heartbeat" RENAME TO "monitor";
ALTER TABLE "monitor" RENAME CONSTRAINT "heartbeat_pkey" TO "monitor_pkey";
ALTER TABLE "monitor" RENAME CONSTRAINT "heartbeat_hash_length" TO "monitor_hash_length";
ALTER TABLE "monitor" RENAME CONSTRAINT "heartbeat_pause" TO "monitor_pause";
ALTER TABLE "monitor" RENAME CONSTRAINT "heartbeat_unheard" TO "monitor_unheard";
ALTER INDEX "heartbeat_name" RENAME TO "monitor_name";
ALTER INDEX "heartbeat_ping_hash" RENAME TO "monitor_ping_hash";
ALTER INDEX "heartbeat_trouble" RENAME TO "monitor_trouble";

ALTER TABLE "heartbeat_ping" RENAME TO "monitor_ping";
ALTER TABLE "monitor_ping" RENAME COLUMN "heartbeat_id" TO "monitor_id";
ALTER TABLE "monitor_ping" RENAME CONSTRAINT "heartbeat_ping_pkey" TO "monitor_ping_pkey";
ALTER TABLE "monitor_ping" RENAME CONSTRAINT "heartbeat_ping_kind_known" TO "monitor_ping_kind_known";
ALTER TABLE "monitor_ping" RENAME CONSTRAINT "heartbeat_ping_exit_status" TO "monitor_ping_exit_status";
ALTER TABLE "monitor_ping" RENAME CONSTRAINT "heartbeat_ping_body_length" TO "monitor_ping_body_length";
ALTER INDEX "heartbeat_ping_at" RENAME TO "monitor_ping_at";

-- Rules, alerts and silences name what they are about.
UPDATE "alerting" SET "definition" = replace("definition"::text, '"heartbeat', '"monitor')::jsonb WHERE "definition"::text LIKE '%"heartbeat%';
UPDATE "alert" SET "subject" = regexp_replace("subject", '^heartbeat:', 'monitor:'), "kind" = regexp_replace("kind", '^heartbeat-', 'monitor-'),
  "labels" = replace("labels"::text, '"heartbeat', '"monitor')::jsonb
WHERE "subject" LIKE 'heartbeat:%';
UPDATE "alert_silence" SET "match" = regexp_replace("match", '(^|,)heartbeat=', '\1monitor=', 'g') WHERE "match" ~ '(^|,)heartbeat=';
