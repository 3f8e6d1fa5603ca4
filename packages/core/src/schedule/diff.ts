import type { Occurrences } from './calendar/occurrences.ts';

/** What an edit changes about the fires of a task. What its calendars leave out is no fire. */
export interface FireChanges {
  /** Fires there are only after the edit. */
  added: Date[];
  /** Fires there are no more. */
  removed: Date[];
  /** Fires that there are at another time of the same day. */
  moved: { from: Date; to: Date }[];
  /** Fires that stay. */
  kept: number;
  /** True: there are more fires in that time than were compared, and more of each kind than are counted here. */
  truncated: boolean;
  /** The last instant that was compared. */
  comparedTo: Date;
}

/** Fires compared at most, of each schedule. */
export const MAX_COMPARED = 5000;

/**
 * Compares the fires of two schedules in [from, to]; undefined stands for none at all. Where a day (of the zone)
 * loses as many fires as it gains, they count as moved.
 */
export function compareFires(
  before: Occurrences | undefined,
  after: Occurrences | undefined,
  { from, to, timeZone }: { from: Date; to: Date; timeZone: string },
): FireChanges {
  const was = firesOf(before, from, to);
  const is = firesOf(after, from, to);
  const truncated = was.length === MAX_COMPARED || is.length === MAX_COMPARED;
  // Beyond the shorter of two lists that were cut nothing can be said.
  const until = truncated ? Math.min(lastOf(was, to), lastOf(is, to)) : to.getTime();
  const [wasSet, isSet] = [new Set(was), new Set(is)];
  const removed = was.filter((at) => at <= until && !isSet.has(at));
  const added = is.filter((at) => at <= until && !wasSet.has(at));
  const kept = was.filter((at) => at <= until && isSet.has(at)).length;
  return { ...pairByDay(removed, added, dayIn(timeZone)), kept, truncated, comparedTo: new Date(until) };
}

function firesOf(occurrences: Occurrences | undefined, from: Date, to: Date): number[] {
  const fires: number[] = [];
  let at = occurrences?.next(new Date(from.getTime() - 1)) ?? null;
  for (; occurrences && at && at <= to && fires.length < MAX_COMPARED; at = occurrences.next(at))
    if (occurrences.excluded(at) === null) fires.push(at.getTime());
  return fires;
}

function lastOf(fires: readonly number[], to: Date): number {
  return fires.length === MAX_COMPARED ? (fires.at(-1) ?? to.getTime()) : to.getTime();
}

function pairByDay(
  removed: readonly number[],
  added: readonly number[],
  dayOf: (at: number) => string,
): Pick<FireChanges, 'added' | 'removed' | 'moved'> {
  const lost = groupBy(removed, dayOf);
  const gained = groupBy(added, dayOf);
  const moved: FireChanges['moved'] = [];
  const paired = new Set<string>();
  for (const [day, from] of lost) {
    const to = gained.get(day);
    if (to?.length !== from.length) continue;
    paired.add(day);
    for (const [index, at] of from.entries()) moved.push({ from: new Date(at), to: new Date(to[index] ?? at) });
  }
  const unpaired = (fires: readonly number[]) => fires.filter((at) => !paired.has(dayOf(at))).map((at) => new Date(at));
  return { added: unpaired(added), removed: unpaired(removed), moved };
}

function groupBy(fires: readonly number[], nameOf: (at: number) => string): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const at of fires) {
    const name = nameOf(at);
    const group = groups.get(name);
    if (group) group.push(at);
    else groups.set(name, [at]);
  }
  return groups;
}

function dayIn(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return (at) => format.format(at);
}
