import { EscapementError } from '@escapement/core';
import pg, { type Client } from 'pg';
import { describeSqlError } from '../migrate/sql-error.ts';
import { findRolesFile, ROLE_PREFIX, ROLES_OF_PROGRAMS, readRoles } from './roles-file.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

interface RoleStatus {
  me: string;
  /** Roles that are not there. */
  missing: string[];
  may_create: boolean;
}

/**
 * Makes the roles that are missing, gives them schema, tables and functions, and each what the file says, and nothing else: inside the
 * caller's transaction. Throws `may_not_create_roles`, `roles_failed`, `bad_role_prefix`.
 */
export async function applyRoles(client: Client, prefix: string): Promise<void> {
  const sql = await readRoles(prefix);
  const { rows } = await client.query<RoleStatus>(ROLE_STATUS, [prefix, ['owner', ...ROLES_OF_PROGRAMS]]);
  const [status] = rows;
  if (status && status.missing.length > 0 && !status.may_create) throw mayNotCreate(status, prefix);
  let completed = 0;
  const count = () => {
    completed += 1;
  };
  client.connection.on('commandComplete', count);
  try {
    await client.query(sql);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw failed(error, {
      me: status?.me ?? '',
      at: `${findRolesFile()}${describeSqlError(error, sql, completed)}`,
      prefix,
    });
  } finally {
    client.connection.off('commandComplete', count);
  }
}

const ROLE_STATUS = `
SELECT current_user AS me, ARRAY(SELECT $1 || n FROM unnest($2::text[]) n WHERE to_regrole(quote_ident($1 || n)) IS NULL) AS missing,
  r.rolsuper OR r.rolcreaterole AS may_create FROM pg_roles r WHERE r.rolname = current_user`;

function mayNotCreate({ me, missing }: RoleStatus, prefix: string): EscapementError {
  return new EscapementError(
    'may_not_create_roles',
    `the roles ${missing.join(', ')} are not there, and "${me}" may not make them: it is no superuser and lacks CREATEROLE`,
    { fix: byHand(prefix) },
  );
}

function failed(
  error: pg.DatabaseError,
  { me, at, prefix }: { me: string; at: string; prefix: string },
): EscapementError {
  const lacksRight = error.code === INSUFFICIENT_PRIVILEGE;
  return new EscapementError(
    'roles_failed',
    `the roles could not be set up${lacksRight ? `, for want of a right of "${me}"` : ''}: ${at}`,
    {
      cause: error,
      fix: lacksRight
        ? `nothing was changed; ${byHand(prefix)}`
        : 'nothing was changed: correct the cause and try again',
    },
  );
}

/** Who has the rights may apply the file without us. */
function byHand(prefix: string): string {
  const file = findRolesFile();
  const psql = 'psql -1 -v ON_ERROR_STOP=1';
  const command =
    prefix === ROLE_PREFIX
      ? `${psql} -f ${file} "$DATABASE_URL"`
      : `sed 's/${ROLE_PREFIX}/${prefix}/g' ${file} | ${psql} "$DATABASE_URL"`;
  return `run it as a superuser, or as the owner of the tables with CREATEROLE; by hand: ${command}`;
}
