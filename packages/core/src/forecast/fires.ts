import type { Occurrences } from '../schedule/calendar/occurrences.ts';
import type { Schedule } from '../schedule/schedule.ts';

/** When something is due in a time, in milliseconds since the epoch, the first one first. */
export interface Fires {
  readonly at: Float64Array;
  /** Occurrences in the time that calendars leave out. */
  readonly excluded: number;
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

/** Gives the fires of schedules in a time, and those so long before it. Equal ones are worked out once: a hundred thousand tasks have far fewer schedules. */
export function createFires({ from, to, leadMs }: Span & { leadMs: number }) {
  const since = new Date(from.getTime() - leadMs);
  const known = new Map<Schedule, Map<string, Fires>>();
  let kept = 0;

  /** `calendars`: what tells the calendars of a task, and how it uses them, from those of others. */
  return function firesOf(schedule: Schedule, calendars: string, occurrences: () => Occurrences): Fires {
    const found = known.get(schedule)?.get(calendars);
    if (found) return found;
    const fires = walk(occurrences(), { since, from, to });
    kept += fires.at.length;
    if (kept <= MOST_KEPT) {
      const ofSchedule = known.get(schedule) ?? new Map<string, Fires>();
      known.set(schedule, ofSchedule.set(calendars, fires));
    }
    return fires;
  };
}

/** When something is due in a time and runs, in milliseconds since the epoch, in order. */
export function firesIn(occurrences: Occurrences, { from, to }: Span): Float64Array {
  return walk(occurrences, { since: from, from, to }).at;
}

function walk({ next, excluded }: Occurrences, { since, from, to }: Span & { since: Date }): Fires {
  const at: number[] = [];
  let left = 0;
  for (let fire = next(new Date(since.getTime() - 1)); fire && fire < to; fire = next(fire))
    if (excluded(fire) === null) at.push(fire.getTime());
    else if (fire >= from) left += 1;
  return { at: Float64Array.from(at), excluded: left, leastGapMs: leastGap(at) };
}

function leastGap(at: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (let index = 1; index < at.length; index++) least = Math.min(least, (at[index] ?? 0) - (at[index - 1] ?? 0));
  return least;
}
