import type { By } from '@escapement/core';
import { nameIn, noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { granting } from './granting.ts';
import type { KeptGrant } from './tokens.ts';

/** A person who may sign in, as people look at them. */
export interface UserView extends KeptGrant {
  id: string;
  name: string;
  createdAt: Date;
  createdBy: string;
  /** Since when it is their password; of a user of an OpenID provider, since when they are known. */
  passwordAt: Date;
  /** The OpenID provider that they sign in at. Null: they have a password. */
  issuer: string | null;
  /** Why they may not sign in, and have no rights. Null: they may. */
  disabled: Disabled | null;
}

/** By whom a user was disabled: an admin, or their OpenID provider, which says of no group that it has a role. */
export type Disabled = 'by-admin' | 'no-group';

export interface NewUser extends KeptGrant {
  name: string;
  /** Of the password, with how it was made. */
  hash: string;
  by: By;
}

/** Keeps a user. False: there is one of this name. */
export async function insertUser(db: Database, user: NewUser): Promise<boolean> {
  const { name, hash, role, rights, scope, by } = user;
  const values = [db.namespace, name, hash, role, rights, scope, toActing(by)];
  return (await query(db.pool, 'insert_user', INSERT_USER, values)).length > 0;
}

const INSERT_USER = `
WITH made AS (
  INSERT INTO access_user (namespace, name, password_hash, role, rights, scope, created_by)
  VALUES ($1, $2, $3, $4, $5::text[], $6, ${nameIn('$7')})
  ON CONFLICT (namespace, name) DO NOTHING
  RETURNING name
), noted AS (
  ${noteAction({
    by: '$7',
    action: "'create'",
    subject: "'user:' || m.name",
    detail: "jsonb_build_object('role', $4::text, 'rights', $5::text[], 'scope', $6::text)",
    from: 'made m',
  })}
)
SELECT name FROM made`;

const COLUMNS = `id, name, role, rights, scope, created_at AS "createdAt", created_by AS "createdBy", password_at AS "passwordAt", oidc_issuer AS issuer, disabled`;

/** All users of the namespace, by name. */
export async function listUsers(db: Database): Promise<UserView[]> {
  const text = `SELECT ${COLUMNS} FROM access_user WHERE namespace = $1 ORDER BY name`;
  return await query<UserView & { [column: string]: unknown }>(db.pool, 'list_users', text, [db.namespace]);
}

/** A user with what their password is compared by, if they have one. Null: there is none of this name. */
export async function findUser(db: Database, name: string): Promise<(UserView & { hash: string | null }) | null> {
  const text = `SELECT ${COLUMNS}, password_hash AS hash FROM access_user WHERE namespace = $1 AND name = $2`;
  const [row] = await query<UserView & { hash: string | null; [column: string]: unknown }>(db.pool, 'find_user', text, [
    db.namespace,
    name,
  ]);
  return row ?? null;
}

/** Gives a user another password. False: there is none of this name that has one. */
export async function changePassword(db: Database, name: string, hash: string, by: By): Promise<boolean> {
  const rows = await query(db.pool, 'change_password', CHANGE_PASSWORD, [db.namespace, name, hash, toActing(by)]);
  return rows.length > 0;
}

const CHANGE_PASSWORD = `
WITH changed AS (
  UPDATE access_user SET password_hash = $3, password_at = now() WHERE namespace = $1 AND name = $2 AND password_hash IS NOT NULL RETURNING name
), noted AS (
  ${noteAction({ by: '$4', action: "'set password'", subject: "'user:' || c.name", from: 'changed c' })}
)
SELECT name FROM changed`;

/** Grants a user something else in place of what they have. False: there is none of this name that has a password. */
export async function grantUser(
  db: Database,
  name: string,
  { role, rights, scope }: KeptGrant,
  by: By,
): Promise<boolean> {
  const values = [db.namespace, name, role, rights, scope, toActing(by)];
  return (await query(db.pool, 'grant_user', GRANT_USER, values)).length > 0;
}

const GRANT_USER = `${granting('name = $2 AND oidc_issuer IS NULL')} SELECT id FROM old`;

/** Deletes a user. False: there is none of this name. */
export async function deleteUser(db: Database, name: string, by: By): Promise<boolean> {
  return (await query(db.pool, 'delete_user', DELETE_USER, [db.namespace, name, toActing(by)])).length > 0;
}

const DELETE_USER = `
WITH gone AS (
  DELETE FROM access_user WHERE namespace = $1 AND name = $2 RETURNING name
), noted AS (
  ${noteAction({ by: '$3', action: "'delete'", subject: "'user:' || g.name", from: 'gone g' })}
)
SELECT name FROM gone`;
