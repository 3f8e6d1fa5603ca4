import type { By } from '@escapement/core';
import { noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import type { Disabled } from './users.ts';

/** Disables a user, and ends their sessions. False: there is none of this id, or they are disabled in this way already. */
export async function disableUser(db: Database, id: string, { why, by }: { why: Disabled; by: By }): Promise<boolean> {
  const values = [db.namespace, id, why, toActing(by)];
  return (await query(db.pool, 'disable_user', DISABLE_USER, values)).length > 0;
}

const DISABLE_USER = `
WITH gone AS (
  UPDATE access_user SET disabled = $3 WHERE namespace = $1 AND id = $2::uuid AND disabled IS DISTINCT FROM $3
    AND ($3 = 'by-admin' OR disabled IS NULL)
  RETURNING id, name
), ended AS (
  UPDATE access_session s SET ended_at = now() FROM gone g
  WHERE s.namespace = $1 AND s.user_id = g.id AND s.ended_at IS NULL
), noted AS (
  ${noteAction({
    by: '$4',
    action: "'disable'",
    subject: "'user:' || g.name",
    detail: `jsonb_build_object('why', $3::text)`,
    from: 'gone g',
  })}
)
SELECT name FROM gone`;

/**
 * Lets a user sign in again whom an admin has disabled. Who signs in at an OpenID provider has rights again once that has said which. False:
 * there is none of this id whom an admin has disabled.
 */
export async function enableUser(db: Database, id: string, by: By): Promise<boolean> {
  return (await query(db.pool, 'enable_user', ENABLE_USER, [db.namespace, id, toActing(by)])).length > 0;
}

const ENABLE_USER = `
WITH back AS (
  UPDATE access_user SET disabled = CASE WHEN oidc_issuer IS NOT NULL THEN 'no-group' END
  WHERE namespace = $1 AND id = $2::uuid AND disabled = 'by-admin' RETURNING name
), noted AS (
  ${noteAction({ by: '$3', action: "'enable'", subject: "'user:' || b.name", from: 'back b' })}
)
SELECT name FROM back`;
