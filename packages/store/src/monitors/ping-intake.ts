import { MIN_GAP_MS } from '@escapement/core/monitors';
import { type Database, query } from '../postgres/database.ts';

/**
 * Says that an API takes pings now. When none has for longer than those who ping ask again, monitors that were to ping or under way then have
 * their grace anew, from now on; what was wrong before stays so. Nothing is noted before a scheduler has looked for the first time.
 */
export async function notePingIntake(db: Database): Promise<void> {
  await query(db.pool, 'note_hearing', NOTE_PING_INTAKE, [db.namespace, MIN_GAP_MS]);
}

const GRACE = `(h.definition->>'graceMs')::float8 * interval '1 ms'`;

/** One statement: who judges sees the new grace as soon as it sees that an API is there. Of several that come back, the first gives it. */
const NOTE_PING_INTAKE = `
WITH before AS MATERIALIZED (
  SELECT w.heard_at FROM alert_watch w WHERE w.namespace = $1 FOR UPDATE
), noted AS (
  UPDATE alert_watch w SET heard_at = greatest(w.heard_at, now()) FROM before b WHERE w.namespace = $1
), gap AS (
  SELECT b.heard_at AS since FROM before b WHERE b.heard_at < now() - $2 * interval '1 ms'
)
UPDATE monitor h SET unheard_until = now(),
  unheard_from = CASE WHEN h.unheard_until + ${GRACE} > g.since THEN h.unheard_from ELSE g.since END,
  trouble_at = CASE WHEN h.trouble_at > g.since THEN greatest(h.trouble_at, now() + ${GRACE}) ELSE h.trouble_at END
FROM gap g
WHERE h.namespace = $1 AND (h.due_at <= now() OR h.running <> '[]') AND (h.trouble_at > g.since OR h.failed_at IS NOT NULL)`;
