-- By which a ledger knows whether its rows were written where it is: in a row that a restore from a dump has put there, `written_in` is
-- not the transaction that has written the row. See docs/decisions/0093.
CREATE TABLE "ledger_origin" (
  "namespace"  text NOT NULL,
  "written_in" bigint NOT NULL,
  -- When somebody last said what is to become of what a copy lacks; null: nobody has.
  "checked_at" timestamptz(3),
  CONSTRAINT "ledger_origin_pkey" PRIMARY KEY ("namespace")
);
