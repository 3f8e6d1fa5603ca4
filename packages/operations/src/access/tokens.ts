import { timingSafeEqual } from 'node:crypto';
import { type By, DAY, type ErrorCode, EscapementError, NAME, type Principal } from '@escapement/core';
import type { Grant } from '@escapement/core/rights';
import {
  type Database,
  findToken,
  insertToken,
  noteTokenUse,
  pingDatabase,
  revokeToken as revoke,
} from '@escapement/store';
import { permitInNamespace } from '../rights/permit.ts';
import { type Granted, toGrant, toKept } from './grant.ts';
import { hashToken, newToken, tokenId } from './token-text.ts';

/** A token lives so long unless something else is said. */
export const TOKEN_LIFE_MS = 90 * DAY;
/** The longest life that can be given; `null` is for ever. */
const MAX_LIFE_MS = 3650 * DAY;

export interface TokenAsked extends Granted {
  name: string;
  /** Milliseconds from now. Null: it never expires. Default 90 days. */
  lifeMs?: number | null;
}

/**
 * Makes a token. It is told here and never again: only its SHA-256 is kept. Throws `bad_name`, `bad_expiry`, `bad_selector`, `name_taken`,
 * `not_allowed`.
 */
export async function createToken(
  db: Database,
  { name, lifeMs = TOKEN_LIFE_MS, ...granted }: TokenAsked,
  by: By,
): Promise<{ id: string; token: string; expiresAt: Date | null }> {
  await permitAccess(db, by, { action: 'create', subject: { token: name } });
  checkName(name);
  // It would pass for a person at a command line, where only names are shown.
  if (name.includes('@'))
    throw new EscapementError('bad_name', `"${name}" is no name for a token`, { fix: 'leave out the @' });
  if (lifeMs !== null && !(lifeMs > 0 && lifeMs <= MAX_LIFE_MS))
    throw new EscapementError('bad_expiry', `the token "${name}" is to expire in ${lifeMs} ms`, {
      fix: 'give an instant that is still to come, within ten years, or never',
    });
  const { id, text } = newToken();
  const { now } = await pingDatabase(db);
  const expiresAt = lifeMs === null ? null : new Date(now.getTime() + lifeMs);
  const kept = { id, name, hash: hashToken(text), expiresAt, by, ...toKept(granted) };
  if (await insertToken(db, kept)) return { id, token: text, expiresAt };
  throw new EscapementError('name_taken', `there is a token "${name}" already`, {
    fix: 'give another name, or revoke that one: see `escapement tokens list`',
  });
}

/** Revokes a token, from now on. Throws `unknown_token`, `not_allowed`. */
export async function revokeToken(db: Database, id: string, by: By): Promise<void> {
  await permitAccess(db, by, { action: 'revoke', subject: { token: id } });
  if (await revoke(db, id, by)) return;
  throw new EscapementError('unknown_token', `there is no token ${id.slice(0, 40)} in use`, {
    fix: 'see `escapement tokens list`',
  });
}

/** Asks for the right to say who may do what. */
export async function permitAccess(
  db: Database,
  by: By,
  entry: { action: string; subject: { token: string } | { user: string } },
): Promise<void> {
  await permitInNamespace(db, by, 'access', {
    ...entry,
    what: `users and tokens of the namespace ${db.namespace}`,
  });
}

/** Throws `bad_name`. */
export function checkName(name: string): void {
  if (NAME.test(name)) return;
  throw new EscapementError('bad_name', `"${name.slice(0, 40)}" is no name for a user or token`, {
    fix: 'use 1 to 200 letters, digits and ._:@/-, beginning with a letter or digit',
  });
}

/**
 * Who a token stands for and what it may do in this namespace. Throws `bad_token`, in the same words and after the same comparison
 * whether it is of another namespace, was never made, or is not the one of its id; and `token_expired`, `token_revoked` to who has it.
 */
export async function principalOfToken(
  db: Database,
  text: string,
  address: string | null,
): Promise<{ principal: Principal; grants: readonly Grant[] }> {
  const id = tokenId(text);
  const known = id === undefined ? null : await findToken(db, id);
  const isIt = timingSafeEqual(hashToken(text), known?.hash ?? NO_HASH);
  if (!known || !isIt) throw badToken();
  if (known.revokedAt) throw over('token_revoked', `the token "${known.name}" was revoked`);
  if (known.isExpired) throw over('token_expired', `the token "${known.name}" has expired`);
  if (known.isUseDue) await noteTokenUse(db, known.id);
  const principal = { kind: 'token', id: known.id, name: known.name, address } as const;
  return { principal, grants: [toGrant(db.namespace, known)] };
}

/** What no token has as its SHA-256. */
const NO_HASH = Buffer.alloc(32);

function badToken(): EscapementError {
  return new EscapementError('bad_token', 'the token is none of this namespace', {
    fix: 'give it as `escapement tokens create` printed it, and check the namespace',
  });
}

function over(code: ErrorCode, message: string): EscapementError {
  return new EscapementError(code, message, { fix: 'ask an admin for a new one: `escapement tokens create`' });
}
