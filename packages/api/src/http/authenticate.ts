import { actionOf, type By, type Clock, EscapementError, type Principal } from '@escapement/core';
import type { Grants } from '@escapement/core/rights';
import { countBadToken, principalOfSession, principalOfToken, type Session } from '@escapement/operations';
import type { Database } from '@escapement/store';
import { requireOwnOrigin, type Sent } from './own-origin.ts';
import { ProblemError } from './problem.ts';
import { sessionSecret } from './session-cookie.ts';

/** Who asks: a token, as `Authorization: Bearer` says (RFC 6750), or a user in a browser, as the cookie of a session says. */
export interface Caller {
  by: (reason?: string | null) => By;
  /** Null: who asks has a token. */
  session: OwnSession | null;
}

/** The session in which somebody asks. */
export interface OwnSession extends Session {
  /** What its cookie holds. */
  secret: string;
}

/** A request, as far as it says who asks. */
export interface Asking extends Sent {
  /** In place of the header. */
  authorization: string | undefined;
  /** At most as long as a principal may have it. */
  address: string;
  requestId: string;
}

const CHALLENGE = { 'www-authenticate': 'Bearer realm="escapement"' };

/**
 * A token counts before a cookie. Throws `ProblemError` (`no_token`; `cross_site`), `bad_token`, `too_many_bad_tokens`, `token_expired`, `token_revoked`,
 * `session_over`.
 */
export async function authenticate({ db, clock }: { db: Database; clock: Clock }, asking: Asking): Promise<Caller> {
  const { authorization, address, requestId, headers } = asking;
  const secret = sessionSecret(headers.cookie?.toString());
  if (authorization === undefined && secret !== undefined) {
    requireOwnOrigin(asking);
    const { principal, grants, session } = await principalOfSession(db, secret, { address, now: clock.now() });
    return { by: actionsOf(principal, grants, requestId), session: { ...session, secret } };
  }
  const { principal, grants } = await ofToken(db, requireToken(authorization), { address, now: clock.now() });
  return { by: actionsOf(principal, grants, requestId), session: null };
}

/** Who sends tokens that are none is counted. */
async function ofToken(db: Database, token: string, { address, now }: { address: string; now: Date }) {
  try {
    return await principalOfToken(db, token, address);
  } catch (error) {
    if (error instanceof EscapementError && error.code === 'bad_token') await countBadToken(db, address, now);
    throw error;
  }
}

/** Whoever is about to sign in, and may do nothing yet. Throws `ProblemError` (`cross_site`). */
export function stranger(asking: Asking): Caller {
  requireOwnOrigin(asking);
  const { address, requestId } = asking;
  const principal = { kind: 'user', id: 'nobody', name: 'nobody', address } as const;
  return { by: actionsOf(principal, [], requestId), session: null };
}

function actionsOf(principal: Principal, grants: Grants, requestId: string): Caller['by'] {
  return (reason) => ({ ...actionOf(principal, reason, requestId), grants });
}

function requireToken(authorization: string | undefined): string {
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (token !== undefined) return token;
  throw new ProblemError(
    {
      code: 'no_token',
      detail: authorization === undefined ? 'no token is given' : 'the header Authorization holds no bearer token',
      fix: 'send Authorization: Bearer TOKEN; `escapement tokens create` makes one',
    },
    CHALLENGE,
  );
}
