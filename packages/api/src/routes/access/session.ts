import { MAX_PASSWORD, type Session, signIn, signInByCode, signOut } from '@escapement/operations';
import { z } from 'zod';
import type { OwnSession } from '../../http/authenticate.ts';
import { ProblemError } from '../../http/problem.ts';
import { route } from '../../http/route.ts';
import { cookieOf, NO_COOKIE, sessionSecret } from '../../http/session-cookie.ts';
import { at } from '../../schemas/values.ts';

const ofSession = { tag: 'session', path: '/v1/session', right: null, on: 'action' } as const;

const session = z
  .object({
    user: z.string().meta({ description: 'The name of the user.' }),
    signedInAt: at,
    idleEndsAt: at.meta({ description: 'When it is over if it is not used any more.' }),
    endsAt: at.meta({ description: 'When it is over in any case.' }),
  })
  .meta({ id: 'Session' });

export const createSession = route({
  ...ofSession,
  id: 'createSession',
  method: 'POST',
  summary: 'Sign in by name and password, in a browser. The cookie of the answer lets it in.',
  description: 'A session that the browser had ends. From a page of this server only. Programs use tokens.',
  anyone: true,
  audit: 'sign in',
  body: z.strictObject({ name: z.string().min(1).max(200), password: z.string().min(1).max(MAX_PASSWORD) }),
  status: 201,
  answer: session,
  handle: async ({ db, clock, headers, header, address, requestId, body }) => {
    const before = sessionSecret(headers.cookie?.toString()) ?? null;
    const asked = { ...body, address, now: clock.now(), requestId, before };
    const { principal, secret, session: begun } = await signIn(db, asked);
    header('set-cookie', cookieOf(secret));
    return shown(principal.name, begun);
  },
});

export const createSessionByCode = route({
  ...ofSession,
  id: 'createSessionByCode',
  method: 'POST',
  path: '/v1/session/code',
  summary: 'Sign in by the code of a link, in a browser. The code is of no use from then on.',
  description: '`npm run dev` prints such a link. The cookie of the answer is that of `POST /v1/session`.',
  anyone: true,
  audit: 'sign in',
  body: z.strictObject({ code: z.string().min(1).max(200) }),
  status: 201,
  answer: session,
  handle: async ({ db, clock, headers, header, address, requestId, body: { code } }) => {
    const before = sessionSecret(headers.cookie?.toString()) ?? null;
    const begun = await signInByCode(db, { code, address, now: clock.now(), requestId, before });
    header('set-cookie', cookieOf(begun.secret));
    return shown(begun.principal.name, begun.session);
  },
});

export const listSignInWays = route({
  ...ofSession,
  id: 'listSignInWays',
  method: 'GET',
  path: '/v1/session/ways',
  summary: 'How one signs in here beside name and password.',
  anyone: true,
  audit: null,
  answer: z
    .object({ oidc: z.boolean().meta({ description: 'At an OpenID provider: `GET /v1/session/oidc`.' }) })
    .meta({ id: 'SignInWays' }),
  handle: async ({ oidc }) => ({ oidc: oidc !== null }),
});

export const getSession = route({
  ...ofSession,
  id: 'getSession',
  method: 'GET',
  summary: 'The session in which is asked: of whom, and how long it lasts.',
  audit: null,
  answer: session,
  handle: async ({ by, session: own }) => shown(by().principal.name, requireSession(own)),
});

export const deleteSession = route({
  ...ofSession,
  id: 'deleteSession',
  method: 'DELETE',
  summary: 'Sign out: the session is over at once, whoever has its cookie.',
  audit: 'sign out',
  answer: z.object({ user: z.string() }).meta({ id: 'SignedOut' }),
  handle: async ({ db, clock, by, header, session: own }) => {
    await signOut(db, requireSession(own).secret, { now: clock.now(), by: by() });
    header('set-cookie', NO_COOKIE);
    return { user: by().principal.name };
  },
});

function shown(user: string, { signedInAt, idleEndsAt, endsAt }: Session) {
  return { user, signedInAt, idleEndsAt, endsAt };
}

/** Throws `ProblemError` (`no_session`): who asks has a token. */
function requireSession(own: OwnSession | null): OwnSession {
  if (own) return own;
  throw new ProblemError({
    code: 'no_session',
    detail: 'a token has no session',
    fix: 'ask with the cookie of POST /v1/session; GET /v1/me says who a token is',
  });
}
