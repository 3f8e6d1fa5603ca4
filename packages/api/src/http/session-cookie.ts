import { SECOND } from '@escapement/core';
import { SESSION_LIFE_MS } from '@escapement/operations';

/** With this prefix a browser takes it over TLS or from its own machine only, and from no other host of the domain (RFC 6265bis). */
export const SESSION_COOKIE = '__Host-escapement';

const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';

/** The secret in a header `Cookie`; undefined: there is none. One that stands there twice is no secret of anybody. */
export function sessionSecret(header: string | undefined): string | undefined {
  const given = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${SESSION_COOKIE}=`))
    .map((pair) => pair.slice(SESSION_COOKIE.length + 1));
  return given.length > 1 ? '' : given[0];
}

/** A header `Set-Cookie` that keeps a secret as long as a session lives. */
export function cookieOf(secret: string): string {
  return `${SESSION_COOKIE}=${secret}; ${ATTRIBUTES}; Max-Age=${SESSION_LIFE_MS / SECOND}`;
}

/** A header `Set-Cookie` that takes the secret away. */
export const NO_COOKIE = `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;
