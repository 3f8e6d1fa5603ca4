import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EscapementError } from '@escapement/core';
import { findFunctionsDir } from '../migrate/migration-files.ts';

/** What the names of the roles begin with, as the file has it. */
export const ROLE_PREFIX = 'escapement_';

/** The roles, without their prefix. The owner has the tables; the others are given to users of programs and people. */
export const ROLES_OF_PROGRAMS = ['scheduler', 'worker', 'api', 'reader'] as const;

/** For whom a user of the database is. */
export type DatabaseRole = (typeof ROLES_OF_PROGRAMS)[number];

/** `prisma/roles.sql` of this version. */
export function findRolesFile(): string {
  return join(findFunctionsDir(), '../roles.sql');
}

/** The file for roles of that prefix. Throws `bad_role_prefix`. */
export async function readRoles(prefix: string): Promise<string> {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(prefix) || prefix.startsWith('pg_'))
    throw new EscapementError('bad_role_prefix', `the prefix of the roles is "${prefix}"`, {
      fix: 'give 1 to 40 of a to z, 0 to 9 and _, beginning with a letter, and not with pg_',
    });
  return (await readFile(findRolesFile(), 'utf8')).replaceAll(ROLE_PREFIX, prefix);
}

/** A right that the file gives. */
export interface Grant {
  role: string;
  kind: 'table' | 'function';
  /** The table or function. */
  name: string;
  /** `SELECT`, `EXECUTE`. */
  right: string;
  /** Null: all of them. */
  columns: readonly string[] | null;
}

const GRANT = /^GRANT (.+?) ON (FUNCTION )?(.+?)\s+TO (.+?);$/gms;
const RIGHT = /([A-Z]+)(?: \(([^)]*)\))?/g;

/** What the text of the file gives to whom. */
export function grantsOf(sql: string): Grant[] {
  return [...sql.matchAll(GRANT)].flatMap(([, rights = '', isFunction, names = '', roles = '']) =>
    listed(roles).flatMap((role) =>
      listed(names).flatMap((name) =>
        [...rights.matchAll(RIGHT)].map(([, right = '', columns]) => ({
          role,
          kind: isFunction === undefined ? ('table' as const) : ('function' as const),
          name,
          right,
          columns: columns === undefined ? null : listed(columns),
        })),
      ),
    ),
  );
}

function listed(text: string): string[] {
  return text.split(',').map((each) => each.trim());
}
