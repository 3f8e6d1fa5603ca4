import { MINUTE } from '../clock.ts';

/** A start by cron, as its host has reported it. */
export interface CronStart {
  startedAt: Date;
  /** Null: it has not been told yet. */
  endedAt: Date | null;
  /** Null: a signal has ended it, or its end has not been told yet. */
  exitCode: number | null;
  signal: string | null;
  /** When the host came up; null: it does not know. */
  bootedAt: Date | null;
}

/** A fire of the plan, and the start by cron that belongs to it. */
export interface Agreed {
  at: Date;
  start: CronStart;
  offByMs: number;
}

export interface Paired {
  agreed: Agreed[];
  onlyCron: CronStart[];
  onlyHere: Date[];
}

/** A start that comes later after a fire is not taken for one of it. */
const LATE_MS = 10 * MINUTE;

/**
 * Pairs the fires of a plan with the starts of cron. First by the minute in which cron has started the line. What is left over of both, in
 * their order: cron starts what it has slept through when it is awake again.
 */
export function pairStarts(fires: readonly Date[], starts: readonly CronStart[]): Paired {
  const inOrder = starts.toSorted((one, other) => one.startedAt.getTime() - other.startedAt.getTime());
  const ofMinute = new Map<number, CronStart[]>();
  for (const start of inOrder) {
    const minute = minuteOf(start.startedAt);
    ofMinute.set(minute, [...(ofMinute.get(minute) ?? []), start]);
  }
  const inTime = pairEach(fires, (at) => ofMinute.get(minuteOf(at))?.shift());
  const left = [...ofMinute.values()].flat();
  const onlyCron: CronStart[] = [];
  let next = 0;
  // Both are in order, and no start can be late for two fires: each is looked at once.
  const late = pairEach(inTime.left, (at, following) => {
    const until = Math.min(at.getTime() + LATE_MS, following?.getTime() ?? Number.POSITIVE_INFINITY);
    for (let start = left[next]; start && start.startedAt < at; start = left[++next]) onlyCron.push(start);
    const start = left[next];
    if (!start || start.startedAt.getTime() >= until) return undefined;
    next += 1;
    return start;
  });
  const agreed = [...inTime.agreed, ...late.agreed].sort((one, other) => one.at.getTime() - other.at.getTime());
  return { agreed, onlyCron: [...onlyCron, ...left.slice(next)], onlyHere: late.left };
}

function pairEach(
  fires: readonly Date[],
  startOf: (at: Date, next: Date | undefined) => CronStart | undefined,
): { agreed: Agreed[]; left: Date[] } {
  const agreed: Agreed[] = [];
  const left: Date[] = [];
  for (const [index, at] of fires.entries()) {
    const start = startOf(at, fires[index + 1]);
    if (start) agreed.push({ at, start, offByMs: start.startedAt.getTime() - at.getTime() });
    else left.push(at);
  }
  return { agreed, left };
}

export function minuteOf(at: Date): number {
  return Math.floor(at.getTime() / MINUTE);
}
