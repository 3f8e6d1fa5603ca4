-- A host whose cron is watched tells what it started by a token that may do nothing else.
ALTER TABLE "access_token" DROP CONSTRAINT "access_token_role",
  ADD CONSTRAINT "access_token_role" CHECK ("role" IN ('reporter', 'viewer', 'operator', 'editor', 'admin'));
ALTER TABLE "access_user" DROP CONSTRAINT "access_user_role",
  ADD CONSTRAINT "access_user_role" CHECK ("role" IN ('reporter', 'viewer', 'operator', 'editor', 'admin'));
