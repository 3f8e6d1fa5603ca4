-- Definitions that count from a later instant on, one a task. A scheduler saves each as a version when it is due.
CREATE TABLE "task_change" (
  "namespace"    text NOT NULL,
  "name"         text NOT NULL,
  -- Of two changes of one task, which: it is deleted only by whoever carried that very one out.
  "id"           uuid NOT NULL DEFAULT gen_random_uuid(),
  "definition"   jsonb NOT NULL,
  "source"       text NOT NULL,
  "created_by"   text NOT NULL,
  "note"         text,
  "effective_at" timestamptz(3) NOT NULL,
  -- Why it could not be carried out; it is not tried again.
  "error"        text,
  "created_at"   timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT "task_change_pkey" PRIMARY KEY ("namespace", "name")
);
