import type { Principal } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import type { KeptGrant } from './tokens.ts';

/** What a token or user is granted now; nothing if it was revoked or deleted, or is neither. */
export async function grantsOf(db: Database, { kind, id }: Pick<Principal, 'kind' | 'id'>): Promise<KeptGrant[]> {
  return await query<KeptGrant & { [column: string]: unknown }>(
    db.pool,
    'grants_of',
    'SELECT role, rights, scope FROM grants_of($1, $2, $3)',
    [db.namespace, kind, id],
  );
}
