import { EscapementError } from '@escapement/core';
import type { Pool } from 'pg';
import { type Database, query } from '../postgres/database.ts';
import { prefixInUse } from './owner.ts';
import { type DatabaseRole, grantsOf, ROLE_PREFIX, readRoles } from './roles-file.ts';

/** As whom a program is connected, and what it may do. */
export interface ProgramUser {
  program: DatabaseRole;
  user: string;
  superuser: boolean;
  /** It has the role of the owner. */
  owner: boolean;
  /** What the program needs and its user may not: `INSERT on process`. */
  missing: string[];
}

export interface RolesReport {
  /** Of the roles that the database is set up with; null: there are none. */
  prefix: string | null;
  /** Schedulers and workers that are connected, of all namespaces, and who asks, as `api`. */
  users: ProgramUser[];
}

/** Who is connected as whom, and which rights are missing. */
export async function inspectRoles(db: Database): Promise<RolesReport> {
  const rows = await query<{ program: DatabaseRole; user: string; superuser: boolean; owner: boolean }>(
    db.pool,
    'inspect_roles',
    INSPECT,
  );
  const users = await Promise.all(
    rows.map(async (row) => ({ ...row, missing: await missingRights(db.pool, row.program, row.user) })),
  );
  return { prefix: await prefixInUse(db.pool), users };
}

const INSPECT = `
WITH known AS (
  SELECT DISTINCT substr(a.application_name, 12) AS program, a.usename AS name FROM pg_stat_activity a
  WHERE a.datname = current_database() AND a.application_name IN ('escapement scheduler', 'escapement worker')
  UNION SELECT 'api', current_user
)
SELECT k.program, k.name::text AS "user", r.rolsuper AS superuser,
  coalesce(pg_has_role(r.oid, (SELECT c.relowner FROM pg_class c WHERE c.oid = to_regclass('_prisma_migrations')), 'USAGE'), false) AS owner
FROM known k JOIN pg_roles r ON r.rolname = k.name ORDER BY 1, 2`;

/** Throws `database_rights` where this database's user may not do what the program needs: it says what, and what to do about it. */
export async function requireRights(db: Database, program: DatabaseRole): Promise<void> {
  const missing = await missingRights(db.pool, program, null);
  if (missing.length === 0) return;
  const [row] = await query<{ me: string }>(db.pool, 'who_am_i', 'SELECT current_user::text AS me');
  const report = { program, user: row?.me ?? '', missing };
  throw new EscapementError('database_rights', lackOf(report), { fix: remedyFor(report, await prefixInUse(db.pool)) });
}

const SHOWN = 3;

/** In a sentence, which rights are missing. */
export function lackOf({ program, user, missing }: Pick<ProgramUser, 'program' | 'user' | 'missing'>): string {
  const more = missing.length - SHOWN;
  const what = `${missing.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `the user "${user}" in Postgres lacks what ${program === 'api' ? 'the command line' : `a ${program}`} needs: ${what}`;
}

/** What to do about missing rights. */
export function remedyFor({ program, user }: Pick<ProgramUser, 'program' | 'user'>, prefix: string | null): string {
  const role = `${prefix ?? ROLE_PREFIX}${program}`;
  return `as the owner: \`escapement migrate --roles\`; then GRANT ${role} TO "${user}"`;
}

/** `user` null: who is connected. */
async function missingRights(pool: Pool, program: DatabaseRole, user: string | null): Promise<string[]> {
  const needed = grantsOf(await readRoles(ROLE_PREFIX)).filter(({ role }) => role === `${ROLE_PREFIX}${program}`);
  const rows = await query<{ lacks: string }>(pool, 'missing_rights', MISSING, [user, JSON.stringify(needed)]);
  return rows.map(({ lacks }) => lacks);
}

const MISSING = `
SELECT n."right" || ' on ' || n.name AS lacks
FROM jsonb_to_recordset($2::jsonb) AS n(kind text, name text, "right" text, columns text[]),
  (SELECT coalesce($1::text, current_user)::name AS name) me
WHERE NOT CASE WHEN n.kind = 'function' THEN coalesce((SELECT bool_and(has_function_privilege(me.name, p.oid, n."right")) FROM pg_proc p
    WHERE p.proname = n.name AND p.pronamespace = quote_ident(current_schema())::regnamespace), true)
  WHEN n.columns IS NULL THEN has_table_privilege(me.name, n.name, n."right")
  ELSE NOT EXISTS (SELECT FROM unnest(n.columns) c WHERE NOT has_column_privilege(me.name, n.name, c, n."right")) END
ORDER BY 1`;
