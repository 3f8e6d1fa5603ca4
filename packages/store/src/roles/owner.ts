import pg, { type Client } from 'pg';
import { ROLES_OF_PROGRAMS } from './roles-file.ts';

/**
 * Makes what follows in this session the owner's: what a migration makes belongs to it, whoever of its members migrates. And names are
 * looked up in the one schema, whatever the session's user has set: the functions of the owner keep that path.
 */
export async function actAsOwner(client: Client): Promise<void> {
  await client.query(`SELECT set_config('search_path', quote_ident(current_schema()) ||
    CASE WHEN 'pg_catalog' = ANY (current_schemas(false)) THEN ', pg_catalog' ELSE '' END || ', pg_temp', false)
    WHERE current_schema() IS NOT NULL`);
  const { rows } = await client.query<{ owner: string }>(OWNER);
  const [found] = rows;
  if (found) await client.query(`SET ROLE ${pg.escapeIdentifier(found.owner)}`).catch(ignoreRefusal);
}

/** Of the tables; of the database, where there are none yet. Nobody, where that is oneself or one may not be it. */
const OWNER = `
SELECT o.rolname AS owner FROM pg_roles me, pg_database d, pg_roles o
WHERE me.rolname = current_user AND d.datname = current_database()
  AND o.oid = coalesce((SELECT c.relowner FROM pg_class c WHERE c.oid = to_regclass('_prisma_migrations')), CASE WHEN NOT me.rolsuper THEN d.datdba END)
  AND o.oid <> me.oid AND pg_has_role(o.oid, 'MEMBER')`;

/** A member that may not become the role has its rights all the same, or is told by the first statement that lacks one. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof pg.DatabaseError && error.code === '42501')) throw error;
}

/** The prefix of the roles that the database is set up with; null: with none. */
export async function prefixInUse(client: Pick<Client, 'query'>): Promise<string | null> {
  const { rows } = await client.query<{ prefix: string }>(PREFIX, [ROLES_OF_PROGRAMS]);
  return rows[0]?.prefix ?? null;
}

/** By who has the tables, so that nothing has to be kept anywhere. */
const PREFIX = `
SELECT left(o.rolname, -5) AS prefix FROM pg_class c JOIN pg_roles o ON o.oid = c.relowner
WHERE c.oid = to_regclass('_prisma_migrations') AND right(o.rolname, 5) = 'owner'
  AND NOT EXISTS (SELECT FROM unnest($1::text[]) n WHERE to_regrole(quote_ident(left(o.rolname, -5) || n)) IS NULL)`;
