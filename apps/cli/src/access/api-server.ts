import { EscapementError } from '@escapement/core';
import type { Environment } from '@escapement/service/config';
import type { CliConfig } from '../servers.ts';
import { refuseEmptyToken } from './empty-token.ts';
import { type Login, readLogin } from './login-file.ts';

/** An API that a command asks, and what has named it, for messages. */
export interface ApiServer extends Login {
  from: string;
}

const LOGGED_IN = 'whoever has logged in with `escapement login`';

/**
 * The API that is to be asked: of ESCAPEMENT_URL; where no database is named either, that of `escapement login`. Undefined: the database is
 * asked. Throws `no_api_token`, `bad_token`, `bad_login_file`.
 */
export function apiServer({ apiServer: url, token, databaseUrl }: CliConfig, env: Environment): ApiServer | undefined {
  if (url === undefined) {
    const login = databaseUrl === undefined ? readLogin(env) : undefined;
    if (login) refuseEmptyToken(token, env, LOGGED_IN);
    return login && { url: login.url, token: token ?? login.token, from: '`escapement login`' };
  }
  refuseEmptyToken(token, env, LOGGED_IN);
  if (token !== undefined) return { url, token, from: 'ESCAPEMENT_URL' };
  const login = readLogin(env);
  if (login && sameServer(login.url, url)) return { url, token: login.token, from: 'ESCAPEMENT_URL' };
  throw new EscapementError('no_api_token', `no token is given for the API at ${url}`, {
    fix: `set ESCAPEMENT_TOKEN, or run \`escapement login ${url}\``,
  });
}

function sameServer(one: string, other: string): boolean {
  return new URL(one).href.replace(/\/+$/, '') === new URL(other).href.replace(/\/+$/, '');
}
