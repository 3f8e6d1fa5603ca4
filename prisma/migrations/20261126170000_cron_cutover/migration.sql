-- Instants from which on a line of a crontab is run by the other side, cron or the fleet. See docs/decisions/0091.
CREATE TABLE "cron_cutover" (
  "namespace"   text NOT NULL,
  "id"          uuid NOT NULL DEFAULT gen_random_uuid(),
  "line"        text NOT NULL,
  "task_id"     uuid NOT NULL,
  -- It answers.
  "host"        text NOT NULL,
  "to_side"     text NOT NULL,
  "at"          timestamptz(3) NOT NULL,
  "state"       text NOT NULL DEFAULT 'proposed',
  "asked_by"    text NOT NULL,
  "asked_at"    timestamptz(3) NOT NULL DEFAULT now(),
  "reason"      text,
  -- What a person has said in the host's place.
  "settled"     text,
  "settled_by"  text,
  "settled_at"  timestamptz(3),
  -- What the host has said, and when by its clock.
  "answer"      text,
  "answered_at" timestamptz(3),
  CONSTRAINT "cron_cutover_pkey" PRIMARY KEY ("namespace", "id"),
  CONSTRAINT "cron_cutover_to_side" CHECK ("to_side" IN ('cron', 'fleet')),
  CONSTRAINT "cron_cutover_answers" CHECK ("settled" IN ('taken', 'refused') AND "answer" IN ('taken', 'refused')),
  CONSTRAINT "cron_cutover_state" CHECK ("state" = coalesce("answer", "settled", 'proposed')),
  CONSTRAINT "cron_cutover_settled" CHECK (("settled" IS NULL) = ("settled_at" IS NULL) AND ("settled" IS NULL) = ("settled_by" IS NULL)),
  CONSTRAINT "cron_cutover_answered" CHECK (("answer" IS NULL) = ("answered_at" IS NULL))
);

CREATE UNIQUE INDEX "cron_cutover_open" ON "cron_cutover" ("namespace", "line") WHERE "state" = 'proposed';
CREATE INDEX "cron_cutover_line" ON "cron_cutover" ("namespace", "line", "at");

-- The start was left to the fleet: the command did not run there.
ALTER TABLE "cron_report" ADD COLUMN "left_to_fleet" boolean NOT NULL DEFAULT false;
