import { type Database, query } from '../postgres/database.ts';

/** What tries are counted by, as a number from 0 to 65535: to sign in a name or an address; to ping what is not there, or to give a token that is none, an address. Several may share one. */
export interface SignInKey {
  kind: 'name' | 'address' | 'ping' | 'token';
  bucket: number;
}

/** Whether one more try counted; if not, how long until the next may. */
export type SignInCounted = { counted: true } | { counted: false; waitMs: number };

/**
 * Counts a try to sign in, before the password is looked at: so tries at one moment count as well. At most `most` within `windowMs` of the
 * first, by all replicas together; the others are not counted.
 */
export async function countSignIn(
  db: Database,
  { kind, bucket }: SignInKey,
  { now, windowMs, most }: { now: Date; windowMs: number; most: number },
): Promise<SignInCounted> {
  const at = now.toISOString();
  const counted = await query(db.pool, 'count_sign_in', COUNT_SIGN_IN, [
    db.namespace,
    kind,
    bucket,
    at,
    windowMs,
    most,
  ]);
  if (counted.length > 0) return { counted: true };
  const [row] = await query<{ waitMs: number }>(db.pool, 'sign_in_wait', SIGN_IN_WAIT, [
    ...[db.namespace, kind, bucket, at, windowMs],
  ]);
  return { counted: false, waitMs: row?.waitMs ?? 0 };
}

const COUNT_SIGN_IN = `
INSERT INTO sign_in_count AS c (namespace, kind, bucket, tries, since) VALUES ($1, $2, $3::integer, 1, $4::timestamptz)
ON CONFLICT (namespace, kind, bucket) DO UPDATE SET
  tries = CASE WHEN c.since <= $4::timestamptz - $5::float8 * interval '1 ms' THEN 1 ELSE c.tries + 1 END,
  since = CASE WHEN c.since <= $4::timestamptz - $5::float8 * interval '1 ms' OR c.tries = 0 THEN $4::timestamptz ELSE c.since END
WHERE c.tries < $6::integer OR c.since <= $4::timestamptz - $5::float8 * interval '1 ms'
RETURNING tries`;

const SIGN_IN_WAIT = `
SELECT greatest(0, round(extract(epoch FROM since - $4::timestamptz) * 1000 + $5::float8))::float8 AS "waitMs"
FROM sign_in_count WHERE namespace = $1 AND kind = $2 AND bucket = $3::integer`;

/** Takes a try back that was none in vain. */
export async function uncountSignIn(db: Database, { kind, bucket }: SignInKey): Promise<void> {
  await query(
    db.pool,
    'uncount_sign_in',
    `UPDATE sign_in_count SET tries = tries - 1 WHERE namespace = $1 AND kind = $2 AND bucket = $3::integer AND tries > 0`,
    [db.namespace, kind, bucket],
  );
}
