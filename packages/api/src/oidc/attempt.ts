import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { MINUTE, SECOND } from '@escapement/core';

/**
 * A browser that is about to sign in at a provider, and what only it has: the secret. All that the provider is told, and has to give back,
 * is computed from it, so that every replica knows it, and none keeps it.
 */
export interface Attempt {
  secret: string;
  begunAtMs: number;
  /** The hash of the session that the browser had; empty: it had none. */
  before: string;
  /** Where it goes in the end. */
  returnTo: string;
}

/** Where the provider sends the browser back to. */
export const CALLBACK_PATH = '/v1/session/oidc/callback';
/** With this prefix a browser takes it from this host only, and over TLS or from its own machine (RFC 6265bis). */
const COOKIE = '__Host-escapement-sign-in';
/** Lax: it has to come along when the provider sends the browser back. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';
/** So long somebody may take at the provider. */
export const ATTEMPT_LIFE_MS = 10 * MINUTE;
/** Clocks of two replicas may differ by so much. */
const SKEW_MS = 1 * MINUTE;
const SECRET_BYTES = 32;

export function newAttempt({ now, before, returnTo }: { now: Date; before: string; returnTo: string }): Attempt {
  return { secret: randomBytes(SECRET_BYTES).toString('base64url'), begunAtMs: now.getTime(), before, returnTo };
}

/** A header `Set-Cookie` that keeps an attempt in its browser. */
export function attemptCookie({ secret, begunAtMs, before, returnTo }: Attempt): string {
  const value = [secret, begunAtMs, before, Buffer.from(returnTo).toString('base64url')].join('.');
  return `${COOKIE}=${value}; ${ATTRIBUTES}; Max-Age=${ATTEMPT_LIFE_MS / SECOND}`;
}

/** A header `Set-Cookie` that ends it. */
export const NO_ATTEMPT = `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;

const VALUE = /^([\w-]{43})\.(\d{1,15})\.([\w-]{43})?\.([\w-]{1,4000})$/;

/** The attempt in a header `Cookie`. Null: there is none, or it was too long ago. One that stands there twice is nobody's. */
export function attemptIn(header: string | undefined, now: Date): Attempt | null {
  const [value = '', ...others] = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${COOKIE}=`))
    .map((pair) => pair.slice(COOKIE.length + 1));
  const [, secret, begunAt, before = '', returnTo] = VALUE.exec(value) ?? [];
  if (others.length > 0 || secret === undefined || returnTo === undefined) return null;
  const begunAtMs = Number(begunAt);
  const ageMs = now.getTime() - begunAtMs;
  if (ageMs >= ATTEMPT_LIFE_MS || ageMs < -SKEW_MS) return null;
  return { secret, begunAtMs, before, returnTo: Buffer.from(returnTo, 'base64url').toString() };
}

/** What the provider sends back through the browser: it was this one that began. */
export const stateOf = (attempt: Attempt) => derived(attempt, 'state');
/** What stands in the ID token: it was made for this attempt. */
export const nonceOf = (attempt: Attempt) => derived(attempt, 'nonce');
/** What a code is of use with (PKCE, RFC 7636); the provider has its hash. */
export const verifierOf = (attempt: Attempt) => derived(attempt, 'code verifier');

export function isStateOf(attempt: Attempt, given: string | undefined): boolean {
  const [one, other] = [Buffer.from(stateOf(attempt)), Buffer.from(given ?? '')];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** 256 bits that nobody finds who has not the secret, other ones for each name. */
function derived({ secret, begunAtMs, before, returnTo }: Attempt, name: string): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([name, begunAtMs, before, returnTo]))
    .digest('base64url');
}
