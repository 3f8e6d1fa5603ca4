/** What a program finds in its Redis, and what the ledger says of the one that serves the namespace. */
export interface RedisFound {
  /** By what this Redis is known; null: it has nothing, as one that is new or was flushed. */
  here: string | null;
  /** By what the one is known that serves the namespace; null: nobody has said so yet. */
  noted: string | null;
  /** Another living program that has read that in its Redis last, and whether just now; null: there is none. */
  usedBy: { isFresh: boolean } | null;
  /** Whether the program has worked with the Redis that serves the namespace. One that starts has not. */
  admitted: boolean;
}

/**
 * How a Redis stands to the one that serves the namespace. `same`: it is that one. `emptied`: it has lost what it was known by, and gets it
 * back. `moved`: nobody uses the other one any more, and this one takes its place. `other`: others use another one. `unclear`: only programs
 * that cannot reach their Redis speak for another one.
 */
export type RedisIdentity = 'same' | 'emptied' | 'moved' | 'other' | 'unclear';

/** How long a Redis has to be another one before a program gives up: a flush is seen by all programs earlier. Milliseconds. */
export const OTHER_REDIS_MS = 15_000;

export function identityOfRedis({ here, noted, usedBy, admitted }: RedisFound): RedisIdentity {
  if (here !== null && here === noted) return 'same';
  if (usedBy === null) return here === null ? 'emptied' : 'moved';
  if (!admitted || usedBy.isFresh) return 'other';
  return here === null ? 'emptied' : 'unclear';
}
