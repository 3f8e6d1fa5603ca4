import { EscapementError } from '@escapement/core';
import type { Environment } from '@escapement/service/config';

/** A secret that was not filled in would else let its program act with the rights of somebody else: `whose`. Throws `bad_token`. */
export function refuseEmptyToken(token: string | undefined, env: Environment, whose: string): void {
  if (token !== undefined || env.ESCAPEMENT_TOKEN === undefined) return;
  throw new EscapementError('bad_token', 'ESCAPEMENT_TOKEN is set, and empty', {
    fix: `give a token, or unset the variable to act with the rights of ${whose}`,
  });
}
