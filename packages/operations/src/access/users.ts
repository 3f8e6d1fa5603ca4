import { type By, EscapementError, NAME, type Principal } from '@escapement/core';
import type { Grant } from '@escapement/core/rights';
import {
  changePassword,
  type Database,
  disableUser as disable,
  enableUser as enable,
  deleteUser as endUser,
  findUser,
  grantUser as grant,
  insertUser,
  type UserView,
} from '@escapement/store';
import { type Granted, toGrant, toKept } from './grant.ts';
import { hashPassword, isPassword, NOBODYS_HASH } from './password.ts';
import { checkName, permitAccess } from './tokens.ts';

/** Makes a user. Only a hash of the password is kept. Throws `bad_name`, `bad_password`, `bad_selector`, `name_taken`, `not_allowed`. */
export async function createUser(
  db: Database,
  { name, password, ...granted }: Granted & { name: string; password: string },
  by: By,
): Promise<void> {
  await permitAccess(db, by, { action: 'create', subject: { user: name } });
  checkName(name);
  const kept = toKept(granted);
  if (await insertUser(db, { name, hash: await hashPassword(password), by, ...kept })) return;
  throw new EscapementError('name_taken', `there is a user "${name}" already`, { fix: 'see `escapement users list`' });
}

/** Gives a user another password. Throws `bad_password`, `unknown_user`, `user_of_provider`, `not_allowed`. */
export async function setPassword(db: Database, name: string, password: string, by: By): Promise<void> {
  await permitAccess(db, by, { action: 'set password', subject: { user: name } });
  if (await changePassword(db, name, await hashPassword(password), by)) return;
  const user = await requireUser(db, name);
  throw new EscapementError('user_of_provider', `"${user.name}" signs in at ${user.issuer}, and has no password`, {
    fix: 'their password is changed at the provider',
  });
}

/**
 * Grants a user a role, rights and a scope in place of those they have: from their next request on, and for what their tasks start by name.
 * Throws `bad_selector`, `unknown_user`, `user_of_provider`, `not_allowed`.
 */
export async function grantUser(db: Database, name: string, granted: Granted, by: By): Promise<void> {
  await permitAccess(db, by, { action: 'grant', subject: { user: name } });
  if (await grant(db, name, toKept(granted), by)) return;
  const user = await requireUser(db, name);
  throw new EscapementError(
    'user_of_provider',
    `"${user.name}" signs in at ${user.issuer}, whose groups say the role`,
    {
      fix: 'put them into another group at the provider, or change ESCAPEMENT_OIDC_GROUPS',
    },
  );
}

/** Deletes a user; what they did stays in the audit. Throws `unknown_user`, `not_allowed`. */
export async function deleteUser(db: Database, name: string, by: By): Promise<void> {
  await permitAccess(db, by, { action: 'delete', subject: { user: name } });
  if (await endUser(db, name, by)) return;
  throw unknownUser(name);
}

/**
 * Keeps a user out until they are enabled again: their sessions end, and tasks that they saved start no others by name. One who is disabled
 * already stays so. Throws `unknown_user`, `not_allowed`.
 */
export async function disableUser(db: Database, name: string, by: By): Promise<void> {
  await permitAccess(db, by, { action: 'disable', subject: { user: name } });
  await disable(db, (await requireUser(db, name)).id, { why: 'by-admin', by });
}

/** Lets a user sign in again whom `disableUser` kept out; of one who may already nothing changes. Throws `unknown_user`, `not_allowed`. */
export async function enableUser(db: Database, name: string, by: By): Promise<void> {
  await permitAccess(db, by, { action: 'enable', subject: { user: name } });
  await enable(db, (await requireUser(db, name)).id, by);
}

async function requireUser(db: Database, name: string): Promise<UserView> {
  const user = await findUser(db, name);
  if (user) return user;
  throw unknownUser(name);
}

function unknownUser(name: string): EscapementError {
  return new EscapementError('unknown_user', `there is no user "${name.slice(0, 200)}"`, {
    fix: 'see `escapement users list`',
  });
}

/**
 * Who signs in by a name and a password, what they may do in this namespace, and since when it is their password. Throws `bad_login`, in the same words and after as much
 * work whether there is nobody of the name or the password is another one.
 */
export async function principalOfUser(
  db: Database,
  { name, password }: { name: string; password: string },
  address: string | null,
): Promise<{ principal: Principal; grants: readonly Grant[]; passwordAt: Date }> {
  const user = NAME.test(name) ? await findUser(db, name) : null;
  const isIt = await isPassword(password, user?.hash ?? NOBODYS_HASH);
  if (!user || user.hash === null || user.disabled !== null || !isIt) throw badLogin();
  const principal = { kind: 'user', id: user.id, name: user.name, address } as const;
  return { principal, grants: [toGrant(db.namespace, user)], passwordAt: user.passwordAt };
}

/** Says nothing of what was wrong. */
export function badLogin(): EscapementError {
  return new EscapementError('bad_login', 'name or password is wrong', { fix: 'try again' });
}
