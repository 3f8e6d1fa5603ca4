import type { CatchUpPolicy } from './catch-up-policy.ts';
import { type Holds, latestLateness } from './judge-catch-up.ts';

/** After so many occurrences a choice is looked at again, even if it would hold for longer: it keeps a judgement short. */
const MAX_LOOKED_AHEAD = 50;

export interface ChosenOccurrence {
  at: Date;
  /** As its schedule says, with its jitter. */
  dueAt: Date;
  periodMs: number | null;
  holds: Holds;
}

export interface HoldsQuestion {
  catchUp: CatchUpPolicy;
  now: Date;
  /** The newest occurrence that has misfired, of those that were judged together. */
  newestAt: Date;
  /** From this one on they have no rows yet. Default: those that are to come have none. */
  unplannedFrom?: Date | null | undefined;
  /** The occurrence after an instant, strictly; null: none. */
  next: (after: Date) => Date | null;
  /** When an occurrence misfires if nobody starts it. */
  misfiresAt: (at: Date, after: Date | null) => Date;
}

/**
 * Until when the choice of an occurrence holds. Begin refuses it later, and a scheduler judges it again with those that
 * have misfired since. Before now: what has misfired already, and has no row yet, may replace it. Null: it holds for good.
 */
export function holdsUntil(chosen: ChosenOccurrence, question: HoldsQuestion): Date | null {
  const latenessMs = latestLateness(question.catchUp, { ...chosen, chosen: true });
  const tooLateAt = Number.isFinite(latenessMs) ? chosen.dueAt.getTime() + latenessMs : Number.POSITIVE_INFINITY;
  const until = Math.min(tooLateAt, replacedAt(chosen, question)?.getTime() ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(until) ? new Date(until) : null;
}

/** When newer occurrences take its place, if nobody starts anything until then. */
function replacedAt({ at, holds }: ChosenOccurrence, question: HoldsQuestion): Date | null {
  switch (holds.until) {
    case 'too-late':
      return null;
    case 'newer-due':
      return justBefore(nextAfter(at, question));
    case 'more-misfired':
      return misfireOf(holds.count, question);
  }
}

/** The next occurrence that is to come: those before it are no reason, since they were known when this one was chosen. */
function nextAfter(from: Date, { next, now }: HoldsQuestion): Date | null {
  return next(now > from ? now : from);
}

function justBefore(at: Date | null): Date | null {
  return at && new Date(at.getTime() - 1);
}

function misfireOf(count: number, { next, now, newestAt, unplannedFrom, misfiresAt }: HoldsQuestion): Date | null {
  let misfire: Date | null = null;
  let at = next(newestAt);
  for (let looked = 0; at && looked < count && looked < MAX_LOOKED_AHEAD; ) {
    const after = next(at);
    const expected = misfiresAt(at, after);
    // One that has misfired and was not judged with these was skipped, or has no row yet.
    if (expected >= now || (unplannedFrom && at >= unplannedFrom)) {
      misfire = expected;
      looked += 1;
    }
    at = after;
  }
  return misfire;
}
