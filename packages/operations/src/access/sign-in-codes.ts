import { randomBytes } from 'node:crypto';
import { type By, EscapementError, MINUTE } from '@escapement/core';
import { type Database, insertSignInCode, useSignInCode } from '@escapement/store';
import { toGrant } from './grant.ts';
import { beginSession, hashOfSession, type SignedIn } from './sessions.ts';
import { countTryFrom } from './sign-in-limits.ts';
import { permitAccess } from './tokens.ts';

/** A link is opened soon after it was printed; one that stays in a terminal is of no use. */
export const SIGN_IN_CODE_LIFE_MS = 15 * MINUTE;
const CODE_BYTES = 32;

/**
 * A code that lets one browser in as a user, once, within a quarter of an hour. It is told here and never again. Only a role that owns the tables may
 * keep one. Throws `unknown_user`, `not_allowed`.
 */
export async function createSignInCode(
  db: Database,
  name: string,
  { now, by }: { now: Date; by: By },
): Promise<string> {
  await permitAccess(db, by, { action: 'make sign-in code', subject: { user: name } });
  const code = randomBytes(CODE_BYTES).toString('base64url');
  if (await insertSignInCode(db, { hash: hashOfSession(code), name, now, lifeMs: SIGN_IN_CODE_LIFE_MS, by }))
    return code;
  throw new EscapementError('unknown_user', `there is no user "${name.slice(0, 200)}" who may sign in`, {
    fix: 'see `escapement users list`',
  });
}

export interface SignInByCodeAsked {
  code: string;
  address: string;
  now: Date;
  requestId: string | null;
  /** The secret of the session that the browser had: it ends. Null: it had none. */
  before: string | null;
}

/** Begins a session by a code, which is of no use from then on. Throws `sign_in_code_over`, in the same words whatever is wrong, and `too_many_sign_ins`. */
export async function signInByCode(db: Database, asked: SignInByCodeAsked): Promise<SignedIn & { secret: string }> {
  const { code, address, now, before } = asked;
  const takeBack = await countTryFrom(db, address, now);
  const owner = await useSignInCode(db, { hash: hashOfSession(code), now });
  if (!owner) throw codeOver();
  const principal = { kind: 'user', id: owner.userId, name: owner.name, address } as const;
  const proven = { principal, grants: [toGrant(db.namespace, owner)], passwordAt: owner.passwordAt };
  const begun = await beginSession(db, proven, { ...asked, before: before === null ? null : hashOfSession(before) });
  if (!begun) throw codeOver();
  await takeBack();
  return begun;
}

function codeOver(): EscapementError {
  return new EscapementError('sign_in_code_over', 'the link was used already, or is too old', {
    fix: 'sign in by password, or have whoever runs the fleet print another link (in a clone of Escapement: `npm run sign-in`)',
  });
}
