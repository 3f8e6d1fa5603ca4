-- Named sets of times that tasks leave out, with every version; the one that has not ended is in force.
CREATE TABLE "calendar_version" (
  "namespace"  text NOT NULL,
  "name"       text NOT NULL,
  "version"    integer NOT NULL,
  "definition" jsonb NOT NULL,
  "created_by" text NOT NULL,
  "created_at" timestamptz(3) NOT NULL DEFAULT now(),
  "ended_at"   timestamptz(3),
  CONSTRAINT "calendar_version_pkey" PRIMARY KEY ("namespace", "name", "version"),
  CONSTRAINT "calendar_version_ends_after_start" CHECK ("ended_at" >= "created_at")
);

CREATE UNIQUE INDEX "calendar_in_force" ON "calendar_version" ("namespace", "name") WHERE "ended_at" IS NULL;
