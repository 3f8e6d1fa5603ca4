import type { By } from '@escapement/core';
import { nameIn, noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { granting } from './granting.ts';
import type { KeptGrant } from './tokens.ts';
import type { Disabled } from './users.ts';

/** Who somebody is, as an OpenID provider says: the subject is theirs for ever, and nobody else's at that issuer. */
export interface OidcIdentity {
  issuer: string;
  subject: string;
}

/** A user who signs in at an OpenID provider. */
export interface OidcUser extends KeptGrant {
  id: string;
  name: string;
  passwordAt: Date;
  disabled: Disabled | null;
}

/** The user of an identity. Null: nobody has signed in with it. */
export async function findOidcUser(db: Database, { issuer, subject }: OidcIdentity): Promise<OidcUser | null> {
  const text = `SELECT id, name, role, rights, scope, password_at AS "passwordAt", disabled FROM access_user
    WHERE namespace = $1 AND oidc_issuer = $2 AND oidc_subject = $3`;
  const [row] = await query<OidcUser & { [column: string]: unknown }>(db.pool, 'find_oidc_user', text, [
    ...[db.namespace, issuer, subject],
  ]);
  return row ?? null;
}

export interface NewOidcUser extends KeptGrant, OidcIdentity {
  id: string;
  name: string;
  by: By;
}

/** Keeps a user who signs in for the first time. False: there is one of this name, or of this identity. */
export async function insertOidcUser(db: Database, user: NewOidcUser): Promise<boolean> {
  const { id, name, issuer, subject, role, rights, scope, by } = user;
  const values = [db.namespace, id, name, issuer, subject, role, rights, scope, toActing(by)];
  return (await query(db.pool, 'insert_oidc_user', INSERT_OIDC_USER, values)).length > 0;
}

const INSERT_OIDC_USER = `
WITH made AS (
  INSERT INTO access_user (namespace, id, name, oidc_issuer, oidc_subject, role, rights, scope, created_by)
  VALUES ($1, $2::uuid, $3, $4, $5, $6, $7::text[], $8, ${nameIn('$9')})
  ON CONFLICT DO NOTHING
  RETURNING name
), noted AS (
  ${noteAction({
    by: '$9',
    action: "'create'",
    subject: "'user:' || m.name",
    detail: `jsonb_build_object('role', $6::text, 'rights', $7::text[], 'scope', $8::text, 'issuer', $4::text, 'subject', $5::text)`,
    from: 'made m',
  })}
)
SELECT name FROM made`;

/** Grants a user of a provider what their groups say now, also one who had none. False: there is none of this id whom it changes. */
export async function grantOidcUser(
  db: Database,
  id: string,
  { role, rights, scope }: KeptGrant,
  by: By,
): Promise<boolean> {
  const values = [db.namespace, id, role, rights, scope, toActing(by)];
  return (await query(db.pool, 'grant_oidc_user', GRANT_OIDC_USER, values)).length > 0;
}

const GRANT_OIDC_USER = `${granting(
  `id = $2::uuid AND oidc_issuer IS NOT NULL AND disabled IS DISTINCT FROM 'by-admin'`,
  { sets: ', disabled = NULL', unless: 'o.disabled IS NOT NULL' },
)} SELECT name FROM changed`;
