-- Recipients that never can have the notice: not tried again while others still are.
ALTER TABLE "notice" ADD COLUMN "given_up" text[] NOT NULL DEFAULT '{}';
