import { DAY, MINUTE } from '@escapement/core';
import type { Occurrences } from '@escapement/core/schedule';

/** A range of time to be gone through, and how far one has come. */
export interface Range {
  /** Included. */
  fromAt: Date;
  /** Included. */
  toAt: Date;
  /** The newest first. */
  reverse: boolean;
  /** The last instant that was gone through; null: none yet. */
  cursorAt: Date | null;
}

const LONGEST_MS = 366 * DAY;

/**
 * The next occurrences of a range, in its direction; fewer than `limit` only where it has no more. What calendars
 * exclude is left out.
 */
export function nextInstants(occurrences: Occurrences, range: Range, limit: number): Date[] {
  return range.reverse ? backwards(occurrences, range, limit) : forwards(occurrences, range, limit);
}

function forwards(occurrences: Occurrences, { fromAt, toAt, cursorAt }: Range, limit: number): Date[] {
  return firesBetween(occurrences, { from: cursorAt ?? justBefore(fromAt), to: toAt }, limit);
}

/** Schedules are read forwards only: this looks at spans further and further back, each so long that it is not too full. */
function backwards(occurrences: Occurrences, { fromAt, toAt, cursorAt }: Range, limit: number): Date[] {
  const found: Date[] = [];
  const first = justBefore(fromAt).getTime();
  let end = cursorAt ? justBefore(cursorAt).getTime() : toAt.getTime();
  let spanMs = 1 * DAY;
  while (found.length < limit && end > first) {
    const start = Math.max(first, end - spanMs);
    const fires = firesBetween(occurrences, { from: new Date(start), to: new Date(end) }, limit + 1);
    if (fires.length > limit && spanMs > MINUTE) {
      spanMs = Math.max(MINUTE, spanMs / 8);
      continue;
    }
    found.push(...fires.reverse());
    if (fires.length === 0) spanMs = Math.min(LONGEST_MS, spanMs * 4);
    end = start;
  }
  return found.slice(0, limit);
}

/** In (from, to]. */
function firesBetween({ next, excluded }: Occurrences, { from, to }: { from: Date; to: Date }, limit: number): Date[] {
  const fires: Date[] = [];
  for (let at = next(from); at && at <= to && fires.length < limit; at = next(at))
    if (excluded(at) === null) fires.push(at);
  return fires;
}

function justBefore(at: Date): Date {
  return new Date(at.getTime() - 1);
}
