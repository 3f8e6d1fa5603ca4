import { createHash, randomBytes } from 'node:crypto';
import { actionOf, type By, DAY, EscapementError, HOUR, MINUTE, type Principal } from '@escapement/core';
import type { Grant } from '@escapement/core/rights';
import { type Database, endSession, findSession, insertSession, noteSessionUse } from '@escapement/store';
import { toGrant } from './grant.ts';
import { countTry } from './sign-in-limits.ts';
import { badLogin, principalOfUser } from './users.ts';

/** A session that nobody uses for so long is over: longer than a working day, so that nobody signs in twice on one. */
export const SESSION_IDLE_MS = 12 * HOUR;
/** A session is over after this, however much it is used: a cookie that was copied is of no use for longer. */
export const SESSION_LIFE_MS = 7 * DAY;
/** That it was used is written at most so often. */
const NOTED_EVERY_MS = 1 * MINUTE;
const SECRET_BYTES = 32;

/** A session as its user may see it. */
export interface Session {
  signedInAt: Date;
  /** When it is over if nobody uses it any more. */
  idleEndsAt: Date;
  endsAt: Date;
}

export interface SignedIn {
  principal: Principal;
  grants: readonly Grant[];
  session: Session;
}

export interface SignInAsked {
  name: string;
  password: string;
  address: string;
  now: Date;
  requestId: string | null;
  /** The secret of the session that the browser had: it ends. Null: it had none. */
  before: string | null;
}

/**
 * Begins a session of a user. Its secret is new each time, told here and never again: only its SHA-256 is kept. Throws `bad_login`, in the
 * same words and after as much work whether there is nobody of the name or the password is another one, and `too_many_sign_ins`.
 */
export async function signIn(db: Database, asked: SignInAsked): Promise<SignedIn & { secret: string }> {
  const { name, address, now, before } = asked;
  const takeBack = await countTry(db, { name, address }, now);
  const proven = await principalOfUser(db, asked, address);
  const begun = await beginSession(db, proven, { ...asked, before: before === null ? null : hashOfSession(before) });
  if (!begun) throw badLogin();
  await takeBack();
  return begun;
}

/** Somebody who has shown who they are. */
export interface Proven {
  principal: Principal;
  grants: readonly Grant[];
  /** When what they have shown was given to them. */
  passwordAt: Date;
}

/** Begins a session of whoever has shown who they are, and ends the one before. Null: the user was deleted or disabled meanwhile, or has another password. */
export async function beginSession(
  db: Database,
  { principal, grants, passwordAt }: Proven,
  { address, now, requestId, before }: { address: string; now: Date; requestId: string | null; before: Buffer | null },
): Promise<(SignedIn & { secret: string }) | null> {
  const by = { ...actionOf(principal, null, requestId), grants };
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const hash = hashOfSession(secret);
  const kept = { hash, userId: principal.id, passwordAt, address, now, lifeMs: SESSION_LIFE_MS, by };
  if (!(await insertSession(db, kept))) return null;
  if (before !== null) await endSession(db, before, { now, by });
  const endsAt = new Date(now.getTime() + SESSION_LIFE_MS);
  return { principal, grants, secret, session: sessionOf({ createdAt: now, usedAt: now, endsAt }) };
}

/**
 * Whose session a secret is of, and what they may do now. Throws `session_over`, in the same words whether it has ended, its user was deleted
 * or has another password, or there never was one.
 */
export async function principalOfSession(
  db: Database,
  secret: string,
  { address, now }: { address: string; now: Date },
): Promise<SignedIn> {
  const hash = hashOfSession(secret);
  const known = await findSession(db, { hash, now, idleMs: SESSION_IDLE_MS });
  if (!known) throw new EscapementError('session_over', 'the session is over', { fix: 'sign in again' });
  const { userId, name, createdAt, seenAt, endsAt } = known;
  const isNoted = now.getTime() - seenAt.getTime() < NOTED_EVERY_MS;
  if (!isNoted) await noteSessionUse(db, hash, now);
  return {
    principal: { kind: 'user', id: userId, name, address },
    grants: [toGrant(db.namespace, known)],
    session: sessionOf({ createdAt, usedAt: isNoted ? seenAt : now, endsAt }),
  };
}

/** Ends a session, from now on. One that is over already stays so. */
export async function signOut(db: Database, secret: string, { now, by }: { now: Date; by: By }): Promise<void> {
  await endSession(db, hashOfSession(secret), { now, by });
}

function sessionOf({ createdAt, usedAt, endsAt }: { createdAt: Date; usedAt: Date; endsAt: Date }): Session {
  const idleEnds = Math.min(usedAt.getTime() + SESSION_IDLE_MS, endsAt.getTime());
  return { signedInAt: createdAt, idleEndsAt: new Date(idleEnds), endsAt };
}

/** A secret is 256 random bits: nothing but a hash of it is needed to tell it from others, and it need not be slow. */
export function hashOfSession(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
