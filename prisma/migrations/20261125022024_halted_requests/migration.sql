-- What somebody has halted: nobody begins with its next chunk, until it goes on again (`paused`), or at all (`cancelled`).
ALTER TABLE "request" ADD COLUMN "halt" text;
ALTER TABLE "request" ADD CONSTRAINT "request_halt_known" CHECK ("halt" IN ('paused', 'cancelled'));

-- What was done for a request: an act on many runs has an entry for each.
CREATE INDEX "audit_request" ON "audit" ("namespace", "request_id", "id");
