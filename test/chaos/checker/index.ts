import type { Evidence } from '../evidence.ts';
import { boundedAttempts, endedOnce, endsAsItShould, nothingLeft } from './endings.ts';
import { faultsBit, recovers, redisIsDisposable } from './faults.ts';
import { fencesGrow } from './fences.ts';
import { followedOnce } from './followers.ts';
import type { Invariant } from './invariant.ts';
import { doneAsSaid, honestSkips, noOverlap, notTwice } from './keys.ts';
import { noGap, noneMissed, once } from './occurrences.ts';
import { inOrder } from './order.ts';
import { boundedMemory, graceful, lossesFound, quietLogs } from './processes.ts';
import { rateHolds, rateInOrder, rateLetsGo } from './rates.ts';
import { repeatsChangeNothing } from './repeats.ts';
import type { Verdict } from './report.ts';
import { goodNeighbours, neverEarly, startsInTime } from './starts.ts';

export { firstViolations } from './invariant.ts';
export { formatReport, type Verdict } from './report.ts';

/** Everything that is judged, in the order of the report. */
export const INVARIANTS: readonly Invariant[] = [
  once,
  noGap,
  noneMissed,
  fencesGrow,
  endedOnce,
  endsAsItShould,
  noOverlap,
  honestSkips,
  startsInTime,
  doneAsSaid,
  neverEarly,
  repeatsChangeNothing,
  nothingLeft,
  lossesFound,
  recovers,
  goodNeighbours,
  graceful,
  quietLogs,
  boundedMemory,
  boundedAttempts,
  notTwice,
  inOrder,
  rateHolds,
  rateInOrder,
  rateLetsGo,
  redisIsDisposable,
  followedOnce,
  faultsBit,
];

export function checkAll(evidence: Evidence): Verdict[] {
  return INVARIANTS.map((invariant) => ({ invariant, ...invariant.check(evidence) }));
}
