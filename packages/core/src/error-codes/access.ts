import type { ErrorText } from './error-text.ts';

/** Who may do what. */
export const ACCESS_ERRORS = {
  bad_expiry: {
    when: 'a token is to expire in the past, or in more than ten years',
    fix: 'give a later instant within ten years, or `never`',
  },
  bad_group_roles: { when: '`ESCAPEMENT_OIDC_GROUPS` cannot be read', fix: 'write it as configuration.md says' },
  bad_login: { when: 'the name or the password is wrong', fix: 'try again, or ask an admin for a new password' },
  bad_password: {
    when: 'a new password is too short or too long',
    fix: 'give a length within the limits that are named',
  },
  bad_return: { when: 'the page to return to after a sign-in is on another server', fix: 'give a path of this server' },
  bad_selector: {
    when: 'a selector of labels cannot be read',
    fix: 'give terms such as `team=shop` or `env=test|stage`, with commas between',
  },
  bad_token: {
    when: 'the token is not one of this server, or is empty',
    fix: 'create one with `escapement tokens create`',
  },
  cross_site: {
    when: 'a browser sent a change from a page of another site',
    fix: 'send it from the dashboard, or use a token',
  },
  grants_changed: { when: 'the rights of a caller changed while the answer was being sent', fix: 'ask again' },
  name_taken: { when: 'another user, token or thing has this name', fix: 'give another name' },
  no_api_token: {
    when: 'no token is known for the API that is asked',
    fix: 'set `ESCAPEMENT_TOKEN`, or run `escapement login URL`',
  },
  no_group_role: {
    when: "none of the user's groups at the OpenID provider has a role here",
    fix: 'ask an admin to extend `ESCAPEMENT_OIDC_GROUPS`',
  },
  no_session: { when: 'the browser is not signed in', fix: 'sign in' },
  no_token: { when: 'the request has no token and no session', fix: 'send `Authorization: Bearer TOKEN`' },
  not_allowed: { when: 'the caller lacks the right that is named', fix: 'ask an admin, or use a token that has it' },
  oidc_away: { when: 'the OpenID provider does not answer', fix: 'try again in a moment' },
  oidc_denied: { when: 'the OpenID provider did not let the user in', fix: 'sign in again' },
  oidc_expired: { when: 'the sign-in took too long, or another browser began it', fix: 'sign in again' },
  oidc_off: { when: 'no OpenID provider is configured', fix: 'sign in with a password' },
  oidc_refused: {
    when: 'the answer of the OpenID provider does not prove who the user is',
    fix: 'sign in again; look at the log of the API if that does not help',
  },
  oidc_unusable: {
    when: 'the OpenID provider answers in a way that its standard does not allow',
    fix: 'look at the log of the API under the id of the request',
  },
  session_over: { when: 'the session of the browser has ended', fix: 'sign in again' },
  sign_in_code_over: {
    when: 'a sign-in link was used already, or is too old',
    fix: 'ask for another link, or sign in with a password',
  },
  token_expired: { when: 'the token has expired', fix: 'create another token' },
  token_revoked: { when: 'the token was revoked', fix: 'create another token' },
  too_many_bad_tokens: {
    when: 'there were too many requests with a token that is none of the namespace',
    fix: 'wait as long as `Retry-After` says, and check the token',
  },
  too_many_sign_ins: { when: 'there were too many tries to sign in', fix: 'wait as long as `Retry-After` says' },
  unknown_right: { when: 'a right of this name does not exist', fix: 'give one of the rights in rights.md' },
  unknown_token: { when: 'no token with this id is in use', fix: 'see `escapement tokens list`' },
  unknown_user: { when: 'no user of this name may sign in', fix: 'see `escapement users list`' },
  user_disabled: { when: 'the user was disabled', fix: 'ask an admin' },
  user_of_provider: {
    when: 'the user signs in at an OpenID provider and has no password here',
    fix: 'change the password at the provider',
  },
} as const satisfies Record<string, ErrorText>;
