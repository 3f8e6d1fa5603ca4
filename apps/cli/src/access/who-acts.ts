import { hostname, userInfo } from 'node:os';
import { actionOf, type By, MAX_PRINCIPAL_NAME, type Principal } from '@escapement/core';
import { principalOfToken } from '@escapement/operations';
import type { Environment } from '@escapement/service/config';
import type { Database } from '@escapement/store';
import type { CliConfig } from '../servers.ts';
import { refuseEmptyToken } from './empty-token.ts';

/** An act of whoever has started the command, and why. */
export type Acting = (reason?: string) => By;

/**
 * Who acts: the token that ESCAPEMENT_TOKEN holds, else the user of the operating system, under the name that ESCAPEMENT_ACTOR says.
 * Throws `bad_token`, `token_expired`, `token_revoked`.
 */
export async function whoActs(db: Database, { token, actor }: CliConfig, env: Environment): Promise<Acting> {
  refuseEmptyToken(token, env, 'whoever has the password of the database');
  if (token === undefined) {
    const id = userName();
    const principal: Principal = { kind: 'cli', id, name: actor ?? id, address: hostname() };
    return (reason) => actionOf(principal, reason);
  }
  const { principal, grants } = await principalOfToken(db, token, hostname().slice(0, MAX_PRINCIPAL_NAME));
  return (reason) => ({ ...actionOf(principal, reason), grants });
}

/** Cut off where a system allows names that the audit does not keep. */
function userName(): string {
  try {
    return `${userInfo().username}@${hostname()}`.slice(0, MAX_PRINCIPAL_NAME);
  } catch {
    return hostname().slice(0, MAX_PRINCIPAL_NAME);
  }
}
