import { ProblemError } from '../http/problem.ts';

/** What did not work at a provider, as whoever signs in is told; the log says more. */
export type Failure = 'denied' | 'refused' | 'away' | 'unusable';

const PROBLEMS: { readonly [Each in Failure]: ConstructorParameters<typeof ProblemError> } = {
  denied: [{ code: 'oidc_denied', detail: 'the OpenID provider has not let you in', fix: 'sign in again' }],
  refused: [
    {
      code: 'oidc_refused',
      detail: 'what came back from the OpenID provider does not prove who you are',
      fix: 'sign in again',
    },
  ],
  away: [
    { code: 'oidc_away', detail: 'the OpenID provider does not answer', fix: 'try again in a moment' },
    { 'retry-after': '5' },
  ],
  unusable: [
    {
      code: 'oidc_unusable',
      detail: 'the OpenID provider answers otherwise than it should',
      fix: 'the log of the server says how, under the id of this request',
    },
  ],
};

/** The problem that whoever signs in is told of. */
export function problemOf(failure: Failure): ProblemError {
  return new ProblemError(...PROBLEMS[failure]);
}
