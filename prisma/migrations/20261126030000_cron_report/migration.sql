-- What cron did with lines of crontabs whose tasks are in its shadow: a row for each start, as the line's host has told. See docs/decisions/0090.
CREATE TABLE "cron_report" (
  "namespace"  text NOT NULL,
  -- Made by the host: told twice, it is one report.
  "id"         uuid NOT NULL,
  "line"       text NOT NULL,
  "host"       text NOT NULL,
  "started_at" timestamptz(3) NOT NULL,
  "ended_at"   timestamptz(3),
  "exit_code"  integer,
  "signal"     text,
  "booted_at"  timestamptz(3),
  "told_at"    timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "cron_report_pkey" PRIMARY KEY ("namespace", "id")
);

CREATE INDEX "cron_report_line" ON "cron_report" ("namespace", "line", "started_at");
CREATE INDEX "cron_report_told" ON "cron_report" ("told_at");
