import type { By } from '@escapement/core';
import type { ExtraRight, Role } from '@escapement/core/rights';
import { nameIn, noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';

/** What is granted to a token or user, as it is kept: in its namespace. */
export interface KeptGrant {
  role: Role;
  rights: ExtraRight[];
  /** The tasks it is for, as a label selector. Null: all. */
  scope: string | null;
}

/** A token, as people look at it: nothing of it lets anybody in. */
export interface TokenView extends KeptGrant {
  id: string;
  name: string;
  createdAt: Date;
  createdBy: string;
  /** Null: never. */
  expiresAt: Date | null;
  /** To the minute. Null: not yet. */
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

export interface NewToken extends KeptGrant {
  id: string;
  name: string;
  /** SHA-256 of the token. */
  hash: Buffer;
  expiresAt: Date | null;
  by: By;
}

/** Keeps a token. False: another one in use has this name. */
export async function insertToken(db: Database, token: NewToken): Promise<boolean> {
  const rows = await query(db.pool, 'insert_token', INSERT_TOKEN, [
    db.namespace,
    token.id,
    token.name,
    token.hash,
    token.role,
    token.rights,
    token.scope,
    token.expiresAt?.toISOString() ?? null,
    toActing(token.by),
  ]);
  return rows.length > 0;
}

const INSERT_TOKEN = `
WITH made AS (
  INSERT INTO access_token (namespace, id, name, hash, role, rights, scope, expires_at, created_by)
  VALUES ($1, $2, $3, $4::bytea, $5, $6::text[], $7, $8::timestamptz, ${nameIn('$9')})
  ON CONFLICT (namespace, name) WHERE revoked_at IS NULL DO NOTHING
  RETURNING id
), noted AS (
  ${noteAction({
    by: '$9',
    action: "'create'",
    subject: "'token:' || m.id",
    detail: `jsonb_build_object('name', $3::text, 'role', $5::text, 'rights', $6::text[], 'scope', $7::text,
      'expires', $8::timestamptz)`,
    from: 'made m',
  })}
)
SELECT id FROM made`;

const COLUMNS = `id, name, role, rights, scope, created_at AS "createdAt", created_by AS "createdBy", expires_at AS "expiresAt",
  last_used_at AS "lastUsedAt", revoked_at AS "revokedAt"`;

/** Of a token: nobody knows that it was used within the last minute. */
const IS_USE_DUE = "(last_used_at IS NULL OR last_used_at < now() - interval '1 minute')";

/** All tokens of the namespace, the latest first; those that were revoked are kept. */
export async function listTokens(db: Database): Promise<TokenView[]> {
  const text = `SELECT ${COLUMNS} FROM access_token WHERE namespace = $1 ORDER BY created_at DESC, id`;
  return await query<TokenView & { [column: string]: unknown }>(db.pool, 'list_tokens', text, [db.namespace]);
}

/** Revokes a token. False: there is none of this id that was not revoked. */
export async function revokeToken(db: Database, id: string, by: By): Promise<boolean> {
  const rows = await query(db.pool, 'revoke_token', REVOKE_TOKEN, [db.namespace, id, toActing(by)]);
  return rows.length > 0;
}

const REVOKE_TOKEN = `
WITH revoked AS (
  UPDATE access_token SET revoked_at = now() WHERE namespace = $1 AND id = $2 AND revoked_at IS NULL RETURNING id, name
), noted AS (
  ${noteAction({
    by: '$3',
    action: "'revoke'",
    subject: "'token:' || r.id",
    detail: "jsonb_build_object('name', r.name)",
    from: 'revoked r',
  })}
)
SELECT id FROM revoked`;

/** A token with what it is compared by. */
export interface KnownToken extends TokenView {
  hash: Buffer;
  /** By Postgres' clock. */
  isExpired: boolean;
  /** Its last use is to be noted: the one that is known was a minute ago or more. By Postgres' clock. */
  isUseDue: boolean;
}

/** The token of an id, whether it counts or not. Null: there is none in the namespace. */
export async function findToken(db: Database, id: string): Promise<KnownToken | null> {
  const text = `SELECT ${COLUMNS}, hash, coalesce(expires_at <= now(), false) AS "isExpired",
      ${IS_USE_DUE} AS "isUseDue" FROM access_token
    WHERE namespace = $1 AND id = $2`;
  const [row] = await query<KnownToken & { [column: string]: unknown }>(db.pool, 'find_token', text, [
    db.namespace,
    id,
  ]);
  return row ?? null;
}

/** Notes that a token was used, at most once a minute. */
export async function noteTokenUse(db: Database, id: string): Promise<void> {
  await query(
    db.pool,
    'note_token_use',
    `UPDATE access_token SET last_used_at = now()
     WHERE namespace = $1 AND id = $2 AND ${IS_USE_DUE}`,
    [db.namespace, id],
  );
}
