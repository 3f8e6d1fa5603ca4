import { actOf, type By, MAX_PRINCIPAL_NAME } from '@escapement/core';
import { principalOfToken } from '@escapement/operations';
import type { Database } from '@escapement/store';
import { ProblemError } from './problem.ts';

/** Who asks, as `Authorization: Bearer` says (RFC 6750). */
export interface Caller {
  by: (reason?: string | null) => By;
}

const CHALLENGE = { 'www-authenticate': 'Bearer realm="escapement"' };

/** Throws `ProblemError` (`no_token`), `bad_token`, `token_expired`, `token_revoked`. */
export async function authenticate(
  db: Database,
  { authorization, address, requestId }: { authorization: string | undefined; address: string; requestId: string },
): Promise<Caller> {
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (token === undefined)
    throw new ProblemError(
      {
        status: 401,
        code: 'no_token',
        detail: authorization === undefined ? 'no token is given' : 'the header Authorization holds no bearer token',
        fix: 'send Authorization: Bearer TOKEN; `escapement tokens create` makes one',
      },
      CHALLENGE,
    );
  const { principal, grants } = await principalOfToken(db, token, address.slice(0, MAX_PRINCIPAL_NAME));
  return { by: (reason) => ({ ...actOf(principal, reason, requestId), grants }) };
}
