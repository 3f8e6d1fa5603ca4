import { briefly, counted, EscapementError } from '@escapement/core';

export interface PruneQuestion {
  /** The set of tasks. */
  set: string;
  /** Names of the tasks of the set that are no longer in the documents. */
  left: readonly string[];
  /** Tasks that the set has. */
  had: number;
  /** So many the caller allows to be deleted; undefined: it did not say. */
  allowed: number | undefined;
}

/**
 * What to ask before tasks of a set are deleted, because they are all of it or more than half, as when somebody gave the wrong file;
 * undefined: nothing. Throws `prune_refused` where more are to go than the caller allows.
 */
export function pruneDoubt({ set, left, had, allowed }: PruneQuestion): string | undefined {
  const names = briefly(left);
  const words = `pruning deletes ${left.length} of the ${counted(had, 'task')} of the set "${set}": ${names}`;
  if (allowed !== undefined && left.length > allowed)
    throw new EscapementError('prune_refused', `${words}; ${allowed} may be deleted`, {
      fix: 'look at the plan: it says what goes',
    });
  return allowed === undefined && left.length * 2 > had ? words : undefined;
}
