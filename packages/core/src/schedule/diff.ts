import { DAY, SECOND } from '../clock.ts';
import type { Occurrences } from './calendar/occurrences.ts';
import { zoneOf } from './zone.ts';

/** Fires of one kind: all are counted, the first ones are named. */
export interface FireCount<Fire> {
  count: number;
  first: Fire[];
}

/** What an edit changes about the fires of a task. What its calendars leave out is no fire. */
export interface FireChanges {
  /** Fires there are only after the edit. */
  added: FireCount<Date>;
  /** Fires there are no more. */
  removed: FireCount<Date>;
  /** Fires that there are at another time of the same day. */
  moved: FireCount<{ from: Date; to: Date }>;
  /** Fires that stay. */
  kept: number;
  /** True: there are more fires in that time than were compared, and more of each kind than are counted here. */
  truncated: boolean;
  /** The last instant that was compared. */
  comparedTo: Date;
}

/** Fires compared at most, of each schedule: 115 days of one that fires each second. */
export const MAX_COMPARED = 10_000_000;
/** Fires of each kind that are named. */
export const MOST_NAMED = 5;
/** Fires between two pauses: some milliseconds. */
const PIECE = 5000;

export interface FireComparison {
  /** Itself included, as `to`. */
  from: Date;
  to: Date;
  /** Of days in which fires move. */
  timeZone: string;
  /** Default `MAX_COMPARED`. */
  atMost?: number;
}

/**
 * Compares the fires of two schedules in [from, to]; undefined stands for none at all. Where a day (of the zone)
 * loses as many fires as it gains, they count as moved. Yields now and then: who asks lets others work meanwhile.
 */
export function* compareFires(
  before: Occurrences | undefined,
  after: Occurrences | undefined,
  { from, to, timeZone, atMost = MAX_COMPARED }: FireComparison,
): Generator<void, FireChanges> {
  const was = walk(before, from, to);
  const is = walk(after, from, to);
  const dayOf = dayIn(timeZone);
  const found = createTally();
  let comparedTo = to.getTime();
  let truncated = false;
  for (let steps = 1; !truncated && (was.at !== null || is.at !== null); steps++) {
    const at = Math.min(was.at ?? Number.POSITIVE_INFINITY, is.at ?? Number.POSITIVE_INFINITY);
    const wasFire = was.at === at;
    const isFire = is.at === at;
    found.add(dayOf(at), at, { wasFire, isFire });
    for (const each of [was, is]) if (each.at === at) each.move();
    truncated = [was, is].some(({ at: next, count }) => next !== null && count >= atMost);
    if (truncated) comparedTo = at;
    if (steps % PIECE === 0) yield;
  }
  return { ...found.end(), truncated, comparedTo: new Date(comparedTo) };
}

interface Walk {
  /** The fire it stands at; null: there is none any more. */
  at: number | null;
  /** Fires it has left behind. */
  count: number;
  move(): void;
}

function walk(occurrences: Occurrences | undefined, from: Date, to: Date): Walk {
  function next(after: Date): number | null {
    let at = occurrences?.next(after) ?? null;
    while (occurrences && at && at <= to && occurrences.excluded(at) !== null) at = occurrences.next(at);
    return at && at <= to ? at.getTime() : null;
  }
  return {
    at: next(new Date(from.getTime() - 1)),
    count: 0,
    move() {
      if (this.at === null) return;
      this.count += 1;
      this.at = next(new Date(this.at));
    },
  };
}

/** Counts the fires day by day: whether they have moved is known at the end of their day. */
function createTally() {
  const found = { added: none<Date>(), removed: none<Date>(), moved: none<{ from: Date; to: Date }>(), kept: 0 };
  let today = Number.NEGATIVE_INFINITY;
  let lost: number[] = [];
  let gained: number[] = [];

  function endDay(): void {
    if (lost.length === gained.length)
      count(found.moved, lost, (at, index) => ({ from: new Date(at), to: new Date(gained[index] ?? at) }));
    else {
      count(found.removed, lost, (at) => new Date(at));
      count(found.added, gained, (at) => new Date(at));
    }
    lost = [];
    gained = [];
  }

  return {
    add(day: number, at: number, { wasFire, isFire }: { wasFire: boolean; isFire: boolean }): void {
      if (day !== today) endDay();
      today = day;
      if (wasFire && isFire) found.kept += 1;
      else (wasFire ? lost : gained).push(at);
    },
    end() {
      endDay();
      return found;
    },
  };
}

function none<Fire>(): FireCount<Fire> {
  return { count: 0, first: [] };
}

function count<Fire>(of: FireCount<Fire>, fires: readonly number[], fireOf: (at: number, index: number) => Fire): void {
  of.count += fires.length;
  of.first.push(...fires.slice(0, MOST_NAMED - of.first.length).map(fireOf));
}

/** The number of the day on which an instant falls. It does not go back where the clock does so at midnight. */
function dayIn(timeZone: string): (at: number) => number {
  const zone = zoneOf(timeZone);
  let today = Number.NEGATIVE_INFINITY;
  return (at) => {
    const { offset } = zone.segmentAt(Math.floor(at / SECOND));
    today = Math.max(today, Math.floor((at + offset * SECOND) / DAY));
    return today;
  };
}
