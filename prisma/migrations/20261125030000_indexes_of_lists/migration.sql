-- Jobs, for people: most requests are none, but questions that are answered at once.
CREATE INDEX "request_jobs" ON "request" ("namespace", "asked_at") WHERE "progress" IS NOT NULL;

-- For people who look for one person or one kind of act among the many of a year.
CREATE INDEX "audit_name" ON "audit" ("namespace", "principal_name", "id");
CREATE INDEX "audit_principal" ON "audit" ("namespace", "principal_id", "id");
CREATE INDEX "audit_action" ON "audit" ("namespace", "action", "id");
