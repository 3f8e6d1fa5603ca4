import type { By } from '@escapement/core';
import { noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import type { KeptGrant } from './tokens.ts';

export interface NewSignInCode {
  /** SHA-256 of the code. */
  hash: Buffer;
  /** Of the user whom it lets in. */
  name: string;
  now: Date;
  lifeMs: number;
  by: By;
}

/** Keeps a code that lets one browser in. False: there is no such user, or they are disabled. */
export async function insertSignInCode(db: Database, { hash, name, now, lifeMs, by }: NewSignInCode): Promise<boolean> {
  const values = [db.namespace, hash, name, now.toISOString(), lifeMs, toActing(by)];
  return (await query(db.pool, 'insert_sign_in_code', INSERT_CODE, values)).length > 0;
}

const INSERT_CODE = `
WITH made AS (
  INSERT INTO sign_in_code (namespace, hash, user_id, password_at, ends_at)
  SELECT u.namespace, $2::bytea, u.id, u.password_at, $4::timestamptz + $5::float8 * interval '1 ms'
  FROM access_user u WHERE u.namespace = $1 AND u.name = $3 AND u.disabled IS NULL
  RETURNING user_id
), noted AS (
  ${noteAction({
    by: '$6',
    action: "'make sign-in code'",
    subject: "'user:' || u.name",
    from: 'made m JOIN access_user u ON u.id = m.user_id',
  })}
)
SELECT user_id FROM made`;

/** Whom a code lets in. */
export interface CodeOwner extends KeptGrant {
  userId: string;
  name: string;
  passwordAt: Date;
}

/** Takes a code, for the first and last time. Null: there is none, it was used, it is too old, or its user is gone or has another password. */
export async function useSignInCode(
  db: Database,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<CodeOwner | null> {
  const [row] = await query<CodeOwner & { [column: string]: unknown }>(db.pool, 'use_sign_in_code', USE_CODE, [
    ...[db.namespace, hash, now.toISOString()],
  ]);
  return row ?? null;
}

const USE_CODE = `
WITH used AS (
  UPDATE sign_in_code SET used_at = $3::timestamptz
  WHERE namespace = $1 AND hash = $2::bytea AND used_at IS NULL AND ends_at > $3::timestamptz
  RETURNING namespace, user_id, password_at
)
SELECT u.id AS "userId", u.name, u.role, u.rights, u.scope, u.password_at AS "passwordAt"
FROM used c JOIN access_user u ON u.id = c.user_id AND u.namespace = c.namespace AND u.password_at = c.password_at AND u.disabled IS NULL`;
