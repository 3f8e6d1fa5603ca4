import type { Segment, Zone } from './zone.ts';

export type GapRule = 'next-valid' | 'shift' | 'skip';
export type OverlapRule = 'first' | 'second' | 'both';

/** Wall-clock times in seconds, as if the wall clock were UTC. */
export interface LocalTimes {
  /** The first one at or after `from`; Infinity where none is left. */
  next(from: number): number;
}

/** Wall-clock times on the clock of a zone. */
export interface ZonedTimes {
  local: LocalTimes;
  zone: Zone;
  /** A local time that does not exist: at the first instant after the gap, later by its length, or not at all. */
  gap: GapRule;
  /** A local time that exists twice. */
  overlap: OverlapRule;
}

const NEVER = Number.POSITIVE_INFINITY;
/** No two offsets of a zone, and so no two wall clocks, differ by more. */
const TWO_DAYS = 2 * 86_400;

/** The first instant at or after `from` that shows one of the times, in seconds; Infinity where there is none. */
export function nextZoned(times: ZonedTimes, from: number): number {
  let at = from;
  while (at < NEVER) {
    const segment = times.zone.segmentAt(at);
    const natural = times.local.next(at + segment.offset) - segment.offset;
    // Nearly all calls end here: no change of the clock between the question and its answer.
    if (at >= segment.calmFrom && natural < segment.calmTo) return natural;
    const fire = fireNearChange(times, segment, at, natural);
    if (fire < segment.end) return fire;
    at = resumeAt(segment, at, natural);
  }
  return NEVER;
}

/** The first fire of a segment at or after `at`, by the rules for missing and doubled local times. */
function fireNearChange({ local, gap, overlap }: ZonedTimes, segment: Segment, at: number, natural: number): number {
  const { start, offset, offsetBefore, calmFrom, calmTo } = segment;
  let fire = natural;
  if (at < calmFrom && offset > offsetBefore && gap !== 'skip') {
    fire = Math.min(fire, missedInGap({ local, segment, at, gap }));
  }
  if (at < calmFrom && offset < offsetBefore && overlap === 'first') {
    fire = local.next(calmFrom + offset) - offset;
  }
  // The last stretch before the clock is set back comes again in the next segment.
  if (overlap === 'second' && fire >= calmTo && fire < segment.end) return NEVER;
  return fire >= start ? fire : NEVER;
}

/** Where the schedule's missing local times fire after a gap, at or after `at`; Infinity where there are none. */
function missedInGap(missed: { local: LocalTimes; segment: Segment; at: number; gap: GapRule }): number {
  const { local, segment, at, gap } = missed;
  const { start, offsetBefore, calmFrom } = segment;
  if (gap === 'next-valid' && at > start) return NEVER;
  // On the clock of before, the gap is the stretch from `start` to `calmFrom`.
  const fire = local.next(at + offsetBefore) - offsetBefore;
  if (fire >= calmFrom) return NEVER;
  return gap === 'next-valid' ? start : fire;
}

/** How far the search may jump: to the end of the segment, or close before the natural fire beyond it. */
function resumeAt(segment: Segment, at: number, natural: number): number {
  const seenAgain = at > segment.end - Math.abs(segment.offset - segment.offsetAfter);
  // Equivalent mutant (border): at the end of the segment both ways give that end.
  if (seenAgain || natural < segment.end) return segment.end;
  return Math.max(segment.end, natural - TWO_DAYS);
}
