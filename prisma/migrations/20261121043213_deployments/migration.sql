-- Which code workers have, so that several versions of it can be at work at once without undoing each other's definitions, and
-- so that a task which left the code is known as such.

-- The tasks in the code of an application. A later deployment has a larger id, whatever the clocks of the machines say.
CREATE TABLE "deployment" (
  "id"            bigint GENERATED ALWAYS AS IDENTITY,
  "namespace"     text NOT NULL,
  "app"           text NOT NULL,
  "release"       text,
  -- Of all that follows; the same code is the same deployment on every worker.
  "fingerprint"   text NOT NULL,
  -- Every module could be loaded: what is not in "tasks" is not in the code.
  "whole"         boolean NOT NULL,
  -- Name of each task, with the fingerprint of its definition.
  "tasks"         jsonb NOT NULL,
  "first_seen_at" timestamptz(3) NOT NULL DEFAULT now(),
  "last_seen_at"  timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "deployment_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "deployment_fingerprint_key" ON "deployment" ("namespace", "app", "fingerprint");

-- The code that a worker has.
ALTER TABLE "process" ADD COLUMN "deployment_id" bigint;

-- Of a task in code: the deployment whose definition it has; null: none that is still there. No foreign key: deployments
-- that nobody has seen for a year are forgotten.
ALTER TABLE "task" ADD COLUMN "deployment_id" bigint;
