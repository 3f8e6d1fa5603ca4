import { type Clock, HOUR } from '@escapement/core';
import type { GroupRoles } from '@escapement/core/rights';
import type { ProvenIdentity } from '@escapement/operations';
import type { Logger } from '@escapement/service';
import * as client from 'openid-client';
import { z } from 'zod';
import type { ProblemError } from '../http/problem.ts';
import { type Attempt, CALLBACK_PATH, nonceOf, stateOf, verifierOf } from './attempt.ts';
import { discoveryFailureOf, failureOf, logFailure } from './failures.ts';
import { type Failure, problemOf } from './problems.ts';

/** The OpenID provider at which users may sign in, and what it is told and believed. */
export interface OidcSettings {
  /** As it names itself. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Separated by spaces, `openid` among them. */
  scopes: string;
  /** The claim with the groups of a user. */
  groupsClaim: string;
  groupRoles: GroupRoles;
  /** Where browsers reach the API: scheme, host and port. */
  apiUrl: string;
}

/** An OpenID provider, as sign-ins need it. */
export interface OidcProvider extends Pick<OidcSettings, 'apiUrl' | 'groupRoles'> {
  /** Where a browser goes to sign in. Throws `ProblemError` (`oidc_away`, `oidc_unusable`). */
  signInUrl(attempt: Attempt, requestId: string): Promise<URL>;
  /**
   * Whom the provider has sent back, by the query that the browser brought: state, issuer, code, and the ID token with its signature, issuer,
   * audience, nonce and end are checked. Throws `ProblemError` (`oidc_denied`, `oidc_refused`, `oidc_away`, `oidc_unusable`).
   */
  prove(query: Readonly<Record<string, string>>, attempt: Attempt, requestId: string): Promise<ProvenIdentity>;
}

/** What a provider says of itself is asked again after this. */
const KNOWN_MS = 1 * HOUR;
/** Seconds until one that does not answer is given up. */
const TIMEOUT_S = 10;

/** Nothing is asked before somebody signs in: a provider that is away keeps no server from starting. */
export function createOidcProvider(
  settings: OidcSettings,
  { clock, log }: { clock: Clock; log: Logger },
): OidcProvider {
  const { apiUrl, scopes, groupRoles } = settings;
  const redirectUri = `${apiUrl}${CALLBACK_PATH}`;
  const known = keptFor(KNOWN_MS, clock, () => discover(settings));
  const failed = (error: unknown, failure: Failure, requestId: string): ProblemError => {
    logFailure(log, error, { failure, requestId });
    return problemOf(failure);
  };
  const configuration = async (requestId: string) => {
    try {
      return await known();
    } catch (error) {
      throw failed(error, discoveryFailureOf(error), requestId);
    }
  };
  return {
    apiUrl,
    groupRoles,
    async signInUrl(attempt, requestId) {
      return client.buildAuthorizationUrl(await configuration(requestId), {
        redirect_uri: redirectUri,
        scope: scopes,
        state: stateOf(attempt),
        nonce: nonceOf(attempt),
        code_challenge: await client.calculatePKCECodeChallenge(verifierOf(attempt)),
        code_challenge_method: 'S256',
      });
    },
    async prove(query, attempt, requestId) {
      const from = await configuration(requestId);
      const url = new URL(`${redirectUri}?${new URLSearchParams(query)}`);
      try {
        return await identityOf(from, await exchange(from, url, attempt), settings);
      } catch (error) {
        throw failed(error, failureOf(error), requestId);
      }
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<client.Configuration> {
  const url = new URL(issuer);
  const execute = [client.enableNonRepudiationChecks];
  // Only for this machine itself, as the configuration has checked.
  if (url.protocol === 'http:') execute.push(client.allowInsecureRequests);
  return await client.discovery(url, clientId, undefined, secretAuth(clientSecret), { execute, timeout: TIMEOUT_S });
}

/** The secret in a header, as providers expect it that say nothing else, or in the body for those that take it there only. */
function secretAuth(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...request);
  };
}

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>;

function exchange(from: client.Configuration, url: URL, attempt: Attempt): Promise<Tokens> {
  return client.authorizationCodeGrant(from, url, {
    expectedState: stateOf(attempt),
    expectedNonce: nonceOf(attempt),
    pkceCodeVerifier: verifierOf(attempt),
    idTokenExpected: true,
  });
}

/** OpenID Connect Core 1.0, section 2: a subject is at most 255 characters of ASCII. */
const proven = z.object({ iss: z.string().min(1).max(2000), sub: z.string().regex(/^[\x20-\x7e]{1,255}$/) });
const nameClaims = z.object({
  preferred_username: z.string().optional().catch(undefined),
  email: z.string().optional().catch(undefined),
});
const groupNames = z.union([z.array(z.string()), z.string().transform((name) => [name])]).catch([]);

async function identityOf(
  from: client.Configuration,
  tokens: Tokens,
  { groupsClaim }: OidcSettings,
): Promise<ProvenIdentity> {
  const { iss: issuer, sub: subject } = proven.parse(tokens.claims());
  const claims = { ...(await claimsOf(from, tokens, { subject, groupsClaim })) };
  const { preferred_username, email } = nameClaims.parse(claims);
  return { issuer, subject, name: preferred_username ?? email ?? null, groups: groupNames.parse(claims[groupsClaim]) };
}

/** The ID token's, and where it has no groups those of the UserInfo endpoint: many providers have them only there. */
async function claimsOf(
  from: client.Configuration,
  tokens: Tokens,
  { subject, groupsClaim }: { subject: string; groupsClaim: string },
): Promise<Record<string, unknown>> {
  const inToken = { ...tokens.claims() };
  if (groupsClaim in inToken || from.serverMetadata().userinfo_endpoint === undefined) return inToken;
  return { ...inToken, ...(await client.fetchUserInfo(from, tokens.access_token, subject)) };
}

/** Asks once for all who ask at one moment, and again when it is too long ago. What failed is not kept. */
function keptFor<Value>(lifeMs: number, clock: Clock, ask: () => Promise<Value>): () => Promise<Value> {
  let kept: { value: Promise<Value>; atMs: number } | null = null;
  return () => {
    const nowMs = clock.monotonicMs();
    if (kept && nowMs - kept.atMs < lifeMs) return kept.value;
    const asked = { value: ask(), atMs: nowMs };
    asked.value.catch(() => {
      if (kept === asked) kept = null;
    });
    kept = asked;
    return asked.value;
  };
}
