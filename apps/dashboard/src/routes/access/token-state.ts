import type { Look } from '../../states.ts';
import { words } from '../../words/index.ts';
import type { Token } from './grant.ts';

export type TokenState = 'active' | 'expired' | 'revoked';

const { tokenStates } = words.access;

export const TOKEN_LOOKS: Readonly<Record<TokenState, Look>> = {
  active: { tone: 'good', shape: 'dot', words: tokenStates.active },
  expired: { tone: 'quiet', shape: 'clock', words: tokenStates.expired },
  revoked: { tone: 'quiet', shape: 'slash', words: tokenStates.revoked },
};

export function stateOf({ revokedAt, expiresAt }: Pick<Token, 'revokedAt' | 'expiresAt'>, now: number): TokenState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'active';
}
