import type { Logger } from '@escapement/service';
import * as client from 'openid-client';
import type { Failure } from './problems.ts';

/** Of an error while somebody is proven by what the browser brought. */
export function failureOf(error: unknown): Failure {
  if (error instanceof client.AuthorizationResponseError) return 'denied';
  if (error instanceof client.ResponseBodyError) {
    if (error.status >= 500) return 'away';
    return error.error === 'invalid_grant' ? 'refused' : 'unusable';
  }
  if (isAway(error)) return 'away';
  return error instanceof client.ClientError && !isOfProvider(error) ? 'refused' : 'unusable';
}

/** Of an error while a provider says what it is. */
export function discoveryFailureOf(error: unknown): Failure {
  return isAway(error) ? 'away' : 'unusable';
}

/** No connection, no answer in time, or an answer that says so. */
function isAway(error: unknown): boolean {
  if (error instanceof client.ClientError) {
    if (error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT') return true;
    return error.cause instanceof Response && error.cause.status >= 500;
  }
  return error instanceof TypeError && !('code' in error);
}

/** Answers that are none of an OpenID provider. */
function isOfProvider({ code }: client.ClientError): boolean {
  return ['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR'].includes(code ?? '');
}

/** Why, for whoever runs the server: the words of the library and of what caused it. No code, token or secret is among them. */
export function logFailure(
  log: Logger,
  error: unknown,
  { failure, requestId }: { failure: Failure; requestId: string },
): void {
  const why: string[] = [];
  for (let each: unknown = error; each instanceof Error && why.length < 5; each = each.cause) {
    const code = 'code' in each && typeof each.code === 'string' ? ` (${each.code})` : '';
    const named = 'error' in each && typeof each.error === 'string' ? `: ${each.error.slice(0, 200)}` : '';
    why.push(`${each.message.slice(0, 300)}${named}${code}`);
  }
  log.warn({ failure, why, requestId }, 'a sign-in at the OpenID provider failed');
}
