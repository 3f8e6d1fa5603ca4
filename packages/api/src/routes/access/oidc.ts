import { countTryFrom, hashOfSession, signInByProvider } from '@escapement/operations';
import { z } from 'zod';
import { ProblemError } from '../../http/problem.ts';
import { type RequestContext, textRoute } from '../../http/route.ts';
import { cookieOf, sessionSecret } from '../../http/session-cookie.ts';
import {
  type Attempt,
  attemptCookie,
  attemptIn,
  CALLBACK_PATH,
  isStateOf,
  NO_ATTEMPT,
  newAttempt,
} from '../../oidc/attempt.ts';
import { problemOf } from '../../oidc/problems.ts';
import type { OidcProvider } from '../../oidc/provider.ts';
import { returnPath } from '../../oidc/return-path.ts';

const ofOidc = {
  tag: 'session',
  method: 'GET',
  right: null,
  on: 'action',
  anyone: true,
  status: 303,
  answer: 'text/plain',
} as const;
const EMPTY = { contentType: 'text/plain; charset=utf-8', text: '' };
const text = z.string().max(4000).optional();

export const beginOidcSignIn = textRoute({
  ...ofOidc,
  id: 'beginOidcSignIn',
  path: '/v1/session/oidc',
  summary: 'Sign in at the OpenID provider, in a browser: it is sent there.',
  description:
    'A cookie of ten minutes lets this browser, and no other, come back. For a link or a button; programs use tokens.',
  audit: null,
  query: z.strictObject({
    returnTo: z.string().max(1000).default('/').meta({ description: 'The path of this server to go to in the end.' }),
  }),
  handle: async (asked) => {
    const { clock, headers, header, requestId, query } = asked;
    const provider = requireProvider(asked);
    const returnTo = returnPath(query.returnTo, provider.apiUrl);
    const secret = sessionSecret(headers.cookie?.toString());
    const before = secret === undefined ? '' : hashOfSession(secret).toString('base64url');
    const attempt = newAttempt({ now: clock.now(), before, returnTo });
    header('location', (await provider.signInUrl(attempt, requestId)).href);
    header('set-cookie', attemptCookie(attempt));
    return EMPTY;
  },
});

export const endOidcSignIn = textRoute({
  ...ofOidc,
  id: 'endOidcSignIn',
  path: CALLBACK_PATH,
  summary:
    'Where the OpenID provider sends a browser back. The cookie of the answer lets it in, as that of `POST /v1/session`.',
  audit: 'sign in',
  query: z.object({ state: text, code: text, iss: text, error: text }).catchall(z.string().max(4000)),
  handle: async (asked) => {
    const { db, clock, address, header, requestId, query } = asked;
    const provider = requireProvider(asked);
    const attempt = requireAttempt(asked, query.state);
    // A code is tried once, whatever comes of it.
    header('set-cookie', NO_ATTEMPT);
    const takeBack = await countTryFrom(db, address, clock.now());
    const identity = await provider.prove(givenIn(query), attempt, requestId).catch(async (error: unknown) => {
      if (error instanceof ProblemError && error.problem.status >= 500) await takeBack();
      throw error;
    });
    const before = attempt.before === '' ? null : Buffer.from(attempt.before, 'base64url');
    const { groupRoles, apiUrl } = provider;
    const { secret } = await signInByProvider(db, {
      identity,
      groupRoles,
      address,
      now: clock.now(),
      requestId,
      before,
    });
    await takeBack();
    header('set-cookie', cookieOf(secret));
    // In full: a browser takes a path with two slashes at its beginning for another host.
    header('location', new URL(returnPath(attempt.returnTo, apiUrl), apiUrl).href);
    return EMPTY;
  },
});

/** Throws `ProblemError` (`oidc_off`). */
function requireProvider({ oidc }: RequestContext): OidcProvider {
  if (oidc) return oidc;
  throw new ProblemError({
    code: 'oidc_off',
    detail: 'nobody signs in here at an OpenID provider',
    fix: 'sign in by password; ESCAPEMENT_OIDC_ISSUER names a provider',
  });
}

/** Throws `ProblemError` (`oidc_expired`, `oidc_refused`). */
function requireAttempt({ headers, clock }: RequestContext, state: string | undefined): Attempt {
  const attempt = attemptIn(headers.cookie?.toString(), clock.now());
  if (attempt === null)
    throw new ProblemError({
      code: 'oidc_expired',
      detail: 'no sign-in is under way in this browser, or it began more than ten minutes ago',
      fix: 'sign in again, in one browser',
    });
  if (!isStateOf(attempt, state)) throw problemOf('refused');
  return attempt;
}

function givenIn(query: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
