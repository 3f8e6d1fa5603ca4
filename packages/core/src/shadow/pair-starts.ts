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
  const open = starts.toSorted((one, other) => one.startedAt.getTime() - other.startedAt.getTime());
  const take = (fits: (start: CronStart) => boolean) => {
    const index = open.findIndex(fits);
    return index < 0 ? undefined : open.splice(index, 1)[0];
  };
  const inTime = pairEach(fires, (at) => take(({ startedAt }) => minuteOf(startedAt) === minuteOf(at)));
  const late = pairEach(inTime.left, (at, next) => {
    const until = Math.min(at.getTime() + LATE_MS, next?.getTime() ?? Number.POSITIVE_INFINITY);
    return take(({ startedAt }) => startedAt >= at && startedAt.getTime() < until);
  });
  const agreed = [...inTime.agreed, ...late.agreed].sort((one, other) => one.at.getTime() - other.at.getTime());
  return { agreed, onlyCron: open, onlyHere: late.left };
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
