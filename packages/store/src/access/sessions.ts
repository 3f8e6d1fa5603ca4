import type { By } from '@escapement/core';
import { noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import type { KeptGrant } from './tokens.ts';

export interface NewSession {
  /** SHA-256 of its secret. */
  hash: Buffer;
  userId: string;
  /** When the password was given with which somebody has signed in. */
  passwordAt: Date;
  address: string | null;
  now: Date;
  /** Until it is over at the latest. */
  lifeMs: number;
  by: By;
}

/** Keeps a session. False: the user was deleted or disabled meanwhile, or has another password. */
export async function insertSession(db: Database, session: NewSession): Promise<boolean> {
  const { hash, userId, passwordAt, address, now, lifeMs, by } = session;
  const values = [db.namespace, hash, userId, passwordAt.toISOString(), address, now.toISOString(), lifeMs];
  return (await query(db.pool, 'insert_session', INSERT_SESSION, [...values, toActing(by)])).length > 0;
}

const INSERT_SESSION = `
WITH made AS (
  INSERT INTO access_session (namespace, hash, user_id, password_at, address, created_at, seen_at, ends_at)
  SELECT u.namespace, $2::bytea, u.id, u.password_at, $5, $6::timestamptz, $6::timestamptz,
    $6::timestamptz + $7::float8 * interval '1 ms'
  FROM access_user u WHERE u.namespace = $1 AND u.id = $3::uuid AND u.password_at = $4::timestamptz AND u.disabled IS NULL
  RETURNING user_id
), noted AS (
  ${noteAction({
    by: '$8',
    action: "'sign in'",
    subject: "'user:' || u.name",
    from: 'made m JOIN access_user u ON u.id = m.user_id',
  })}
)
SELECT user_id FROM made`;

/** A session that counts, with what its user is granted now. */
export interface KnownSession extends KeptGrant {
  userId: string;
  name: string;
  createdAt: Date;
  /** To the minute. */
  seenAt: Date;
  endsAt: Date;
}

/**
 * The session of a hash. Null: there is none in the namespace, or it is over, because of its age, `idleMs` without a request, a sign-out,
 * another password, or because its user was deleted or disabled.
 */
export async function findSession(
  db: Database,
  { hash, now, idleMs }: { hash: Buffer; now: Date; idleMs: number },
): Promise<KnownSession | null> {
  const [row] = await query<KnownSession & { [column: string]: unknown }>(db.pool, 'find_session', FIND_SESSION, [
    ...[db.namespace, hash, now.toISOString(), idleMs],
  ]);
  return row ?? null;
}

const FIND_SESSION = `
SELECT u.id AS "userId", u.name, u.role, u.rights, u.scope, s.created_at AS "createdAt", s.seen_at AS "seenAt", s.ends_at AS "endsAt"
FROM access_session s
JOIN access_user u ON u.id = s.user_id AND u.namespace = s.namespace AND u.password_at = s.password_at AND u.disabled IS NULL
WHERE s.namespace = $1 AND s.hash = $2::bytea AND s.ended_at IS NULL AND s.ends_at > $3::timestamptz
  AND s.seen_at > $3::timestamptz - $4::float8 * interval '1 ms'`;

/** Notes that a session was used, at most once a minute. */
export async function noteSessionUse(db: Database, hash: Buffer, now: Date): Promise<void> {
  await query(
    db.pool,
    'note_session_use',
    `UPDATE access_session SET seen_at = $3::timestamptz
     WHERE namespace = $1 AND hash = $2::bytea AND seen_at <= $3::timestamptz - interval '1 minute'`,
    [db.namespace, hash, now.toISOString()],
  );
}

/** Ends a session. False: there is none of this hash that had not ended. */
export async function endSession(db: Database, hash: Buffer, { now, by }: { now: Date; by: By }): Promise<boolean> {
  const values = [db.namespace, hash, now.toISOString(), toActing(by)];
  return (await query(db.pool, 'end_session', END_SESSION, values)).length > 0;
}

const END_SESSION = `
WITH ended AS (
  UPDATE access_session SET ended_at = $3::timestamptz
  WHERE namespace = $1 AND hash = $2::bytea AND ended_at IS NULL RETURNING user_id
), noted AS (
  ${noteAction({
    by: '$4',
    action: "'sign out'",
    subject: "'user:' || u.name",
    from: 'ended e JOIN access_user u ON u.id = e.user_id',
  })}
)
SELECT user_id FROM ended`;

/** Whether a user has signed in from an address in the last month or so. */
export async function signedInFrom(db: Database, name: string, address: string): Promise<boolean> {
  const text = `SELECT s.user_id FROM access_user u JOIN access_session s ON s.user_id = u.id AND s.namespace = u.namespace
    WHERE u.namespace = $1 AND u.name = $2 AND s.address = $3 LIMIT 1`;
  return (await query(db.pool, 'signed_in_from', text, [db.namespace, name, address])).length > 0;
}
