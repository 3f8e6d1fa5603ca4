import { EscapementError } from '@escapement/core';

/** What Postgres refuses to a program or person for good; whoever gets one of these does not try again. */
export type DatabaseRefusal = 'database_refused' | 'no_database' | 'database_rights';

export interface RefusedAt {
  url: string;
  /** What names the URL. Default: DATABASE_URL. */
  from?: string;
}

const ROLES = '`escapement migrate --roles`, docs/reference/database-roles.md';

/**
 * Says in a sentence, with what helps, that Postgres refused somebody: a name or password, a database that is not there, a
 * right that is missing. Undefined for any other error.
 */
export function explainRefusal(error: unknown, { url, from = 'DATABASE_URL' }: RefusedAt): EscapementError | undefined {
  if (!(error instanceof Error) || error instanceof EscapementError) return undefined;
  const { host, user, database } = partsOf(url);
  const say = (code: DatabaseRefusal, what: string, fix: string) =>
    new EscapementError(code, what, { fix, cause: error });
  switch (kindOf(error)) {
    case 'password':
      return say(
        'database_refused',
        `Postgres at ${host} refused the user "${user}": ${error.message}`,
        `correct user and password in ${from}: postgres://user:password@host/database`,
      );
    case 'no_password':
      return say(
        'database_refused',
        `Postgres at ${host} asks "${user}" for a password, and there is none in ${from}`,
        'write it into the URL: postgres://user:password@host/database',
      );
    case 'not_admitted':
      return say(
        'database_refused',
        `Postgres at ${host} does not admit the user "${user}" from here: ${error.message}`,
        `correct user and database in ${from}, or admit them (pg_hba.conf, GRANT CONNECT)`,
      );
    case 'no_database':
      return say(
        'no_database',
        `the database "${database}" does not exist on ${host}`,
        `create it (\`escapement migrate --create-database\`), or correct ${from}`,
      );
    case 'create_database':
      return say(
        'database_rights',
        `the user "${user}" may not create the database "${database}" on ${host}`,
        `create it as an administrator (CREATE DATABASE "${database}" OWNER "${user}")`,
      );
    case 'create':
      return say(
        'database_rights',
        `the user "${user}" may not make tables in the database "${database}": ${error.message}`,
        `migrate as the owner of the database (ALTER DATABASE "${database}" OWNER TO "${user}")`,
      );
    case 'rights':
      return say(
        'database_rights',
        `the user "${user}" lacks a right in the database "${database}": ${error.message}`,
        `use the user that migrated the database, or give this one the role of its program: ${ROLES}`,
      );
    case undefined:
      return undefined;
  }
}

type Kind = 'password' | 'no_password' | 'not_admitted' | 'no_database' | 'create_database' | 'create' | 'rights';

function kindOf(error: Error): Kind | undefined {
  const code = 'code' in error ? String(error.code) : '';
  // Of the client, before it sends anything.
  if (/^SASL: .*client password must be a/.test(error.message)) return 'no_password';
  if (code === '28P01') return 'password';
  if (code.startsWith('28') || (code === '42501' && /for database/.test(error.message))) return 'not_admitted';
  if (code === '3D000') return 'no_database';
  if (code === '42501') return kindOfRight(error.message);
  // PgBouncer says all that it refuses as a breach of the protocol; most of it passes.
  if (code !== '08P01') return undefined;
  if (/no such database/.test(error.message)) return 'no_database';
  return /no such user|(password|SASL) authentication failed/.test(error.message) ? 'password' : undefined;
}

/** Postgres says a missing right by one code; its words, which a server may translate, only make the advice better. */
function kindOfRight(message: string): Kind {
  if (/create database/.test(message)) return 'create_database';
  return /for schema|must be owner/.test(message) ? 'create' : 'rights';
}

function partsOf(url: string): { host: string; user: string; database: string } {
  if (!URL.canParse(url)) return { host: '(no valid URL)', user: '', database: '' };
  const { host, username, pathname } = new URL(url);
  return { host, user: decodeURIComponent(username), database: decodeURIComponent(pathname.slice(1)) };
}
