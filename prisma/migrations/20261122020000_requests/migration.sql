-- What people and programs want that needs Redis, or takes long: a scheduler carries it out and answers.
CREATE TABLE "request" (
  "id"          uuid NOT NULL DEFAULT gen_random_uuid(),
  "namespace"   text NOT NULL,
  -- What is asked, with its kind.
  "request"     jsonb NOT NULL,
  "asked_by"    text NOT NULL,
  "asked_at"    timestamptz(3) NOT NULL DEFAULT now(),
  -- Nobody begins with it any more: who asked has gone.
  "expires_at"  timestamptz(3) NOT NULL,
  "taken_by"    text,
  "taken_at"    timestamptz(3),
  "answered_at" timestamptz(3),
  "answer"      jsonb,
  "error"       jsonb,
  CONSTRAINT "request_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "request_answer_check" CHECK (("answered_at" IS NOT NULL) = ("answer" IS NOT NULL OR "error" IS NOT NULL))
);

CREATE INDEX "request_open_idx" ON "request" ("namespace", "asked_at") WHERE "answered_at" IS NULL;
