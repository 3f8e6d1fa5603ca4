import { EscapementError } from '../errors.ts';
import type { Occurrences } from '../schedule/calendar/occurrences.ts';
import type { Schedule } from '../schedule/schedule.ts';

/** When something is due in a time, in milliseconds since the epoch, the first one first. */
export interface Fires {
  readonly at: Float64Array;
  /** Occurrences in the time that calendars leave out. */
  readonly excluded: number;
  /** There are more than were wanted: those behind are not in it. */
  readonly isCut: boolean;
  /** The shortest time between two of them; Infinity: there are less than two. Milliseconds. */
  readonly leastGapMs: number;
}

/** `to` is not in it. */
export interface Span {
  from: Date;
  to: Date;
}

/** Fires kept for other tasks with the same schedule: some 40 MB. */
const MOST_KEPT = 5_000_000;
/** Of one schedule, some ten seconds: 57 days of one that is due each second. */
const MOST_FIRES = 5_000_000;

export interface FiresWanted extends Span {
  /** Also those that come so long before. */
  leadMs: number;
  /** Of a schedule; what is behind is cut off. Default: more throws `forecast_too_large`. */
  most?: number | undefined;
}

/** Gives the fires of schedules in a time, and those so long before it. Equal ones are worked out once: a hundred thousand tasks have far fewer schedules. */
export function createFires({ from, to, leadMs, most }: FiresWanted) {
  const since = new Date(from.getTime() - leadMs);
  const known = new Map<Schedule, Map<string, Fires>>();
  let kept = 0;

  /** `calendars`: what tells the calendars of a task, and how it uses them, from those of others. */
  return function firesOf(schedule: Schedule, calendars: string, occurrences: () => Occurrences): Fires {
    const found = known.get(schedule)?.get(calendars);
    if (found) return found;
    const fires = walk(occurrences(), { since, from, to, most });
    kept += fires.at.length;
    if (kept <= MOST_KEPT) {
      const ofSchedule = known.get(schedule) ?? new Map<string, Fires>();
      known.set(schedule, ofSchedule.set(calendars, fires));
    }
    return fires;
  };
}

/** When something is due in a time and runs, in milliseconds since the epoch, in order. Throws `forecast_too_large`. */
export function firesIn(occurrences: Occurrences, { from, to }: Span): Float64Array {
  return walk(occurrences, { since: from, from, to }).at;
}

function walk(
  { next, excluded }: Occurrences,
  { since, from, to, most }: Omit<FiresWanted, 'leadMs'> & { since: Date },
): Fires {
  const at: number[] = [];
  let left = 0;
  let isCut = false;
  for (let fire = next(new Date(since.getTime() - 1)); fire && fire < to && !isCut; fire = next(fire)) {
    if (excluded(fire) === null) at.push(fire.getTime());
    else if (fire >= from) left += 1;
    isCut = at.length > (most ?? MOST_FIRES);
  }
  if (isCut && most === undefined) throw tooLarge(MOST_FIRES, { from, to });
  return { at: Float64Array.from(at), excluded: left, isCut, leastGapMs: leastGap(at) };
}

export function tooLarge(most: number, { from, to }: Span): EscapementError {
  return new EscapementError(
    'forecast_too_large',
    `more than ${most} runs are due from ${from.toISOString()} to ${to.toISOString()}`,
    { fix: 'ask for a shorter time, or for one pool' },
  );
}

function leastGap(at: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (let index = 1; index < at.length; index++) least = Math.min(least, (at[index] ?? 0) - (at[index - 1] ?? 0));
  return least;
}
