-- Who sends tokens that are none is counted by their address, as those are who sign in or ping in vain.
ALTER TABLE "sign_in_count" DROP CONSTRAINT "sign_in_count_kind",
  ADD CONSTRAINT "sign_in_count_kind" CHECK ("kind" IN ('name', 'address', 'ping', 'token'));
