import { type Clock, SECOND } from '@escapement/core';
import { FROM_THE_START, type OpenFrom } from '@escapement/store';

/** A look that takes longer than this is worth shortening. */
const LONG_MS = 25;
/** So often it is measured whether looks are long, while there are open runs. */
const EVERY_MS = 5 * SECOND;
/** While they are: the look from the start takes this share of the time at most, ... */
const SHARE = 0.05;
/** ... comes no more often than this ... */
const SOONEST_MS = 1 * SECOND;
/** ... and at least so often: what became open again behind the others waits for it. */
const LATEST_MS = 30 * SECOND;

export interface LookStart {
  /**
   * Looks from the start if it is time and no such look is under way. It may take seconds: nobody need wait for it. Rejects where it fails; all
   * stays as it is then. `mayBeOpen`: somebody has just seen a run that is open.
   */
  keep(mayBeOpen: boolean): Promise<void>;
}

export interface LookStartOptions {
  /** Finds the oldest of each; `ms`: how long Postgres took for it. */
  look: () => Promise<OpenFrom & { ms: number }>;
  /** What look-ups begin at: written here. */
  openFrom: OpenFrom;
  clock: Clock;
}

/**
 * Where this scheduler's look-ups of open runs and due tasks begin: at the first there is, as long as that takes no time. While somebody
 * holds an old snapshot, as a dump does for an hour, Postgres cannot clear away the entries of runs that have ended, and each of a dozen
 * looks a second would pass by all of them. Then one look finds the oldest that is open, and the others begin there.
 */
export function createLookStart({ look, openFrom, clock }: LookStartOptions): LookStart {
  let isShortened = false;
  let nextMs = Number.NEGATIVE_INFINITY;

  return {
    async keep(mayBeOpen) {
      if (clock.monotonicMs() < nextMs || !(mayBeOpen || isShortened)) return;
      nextMs = Number.POSITIVE_INFINITY;
      let waitMs = EVERY_MS;
      try {
        const { ms, ...oldest } = await look();
        isShortened = ms >= LONG_MS;
        Object.assign(openFrom, isShortened ? oldest : FROM_THE_START);
        if (isShortened) waitMs = Math.min(LATEST_MS, Math.max(SOONEST_MS, ms / SHARE));
      } finally {
        nextMs = clock.monotonicMs() + waitMs;
      }
    },
  };
}
