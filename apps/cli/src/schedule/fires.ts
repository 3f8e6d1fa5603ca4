import { jitterOf } from '@escapement/core/schedule';
import type { Column } from '../output/table.ts';
import { fromNow, inUtc, inZone } from '../output/wording.ts';
import type { Asked } from './asked.ts';

/** A fire as it is shown. */
export interface Fire {
  at: Date;
  /** With the jitter of the task; the same as `at` where there is none. */
  dueAt: Date;
  /** On the schedule's clock; null: it has none. */
  local: string | null;
}

/** The next fires, as many as there are up to `count`. */
export function takeFires(asked: Asked, count: number): Fire[] {
  return lookAhead(asked, count).fires;
}

/** Occurrences that are due and do not run are looked at up to so many for each one that does. */
const MAX_LEFT_OUT = 1000;

/** The next fires, and the occurrences between them that calendars leave out, with the reason. */
export function lookAhead(asked: Asked, count: number): { fires: Fire[]; leftOut: { at: Date; reason: string }[] } {
  const { occurrences, remaining = count } = asked;
  const wanted = Math.min(count, Math.max(0, remaining));
  const fires: Fire[] = [];
  const leftOut: { at: Date; reason: string }[] = [];
  let at = wanted > 0 ? occurrences.next(asked.after) : null;
  for (; at && fires.length < wanted && leftOut.length < MAX_LEFT_OUT; at = occurrences.next(at)) {
    const reason = occurrences.excluded(at);
    if (reason === null) fires.push(fireAt(at, asked));
    else leftOut.push({ at, reason });
  }
  return { fires, leftOut };
}

export function fireAt(at: Date, { schedule, seed, timeZone }: Asked): Fire {
  return {
    at,
    dueAt: new Date(at.getTime() + jitterOf(schedule, at, seed)),
    local: timeZone === undefined ? null : inZone(at, timeZone),
  };
}

export function fireColumns({ schedule, timeZone, now }: Asked): Column<Fire>[] {
  const local: Column<Fire> = { title: 'LOCAL TIME', value: (fire) => fire.local ?? '-' };
  const due: Column<Fire> = { title: 'WITH JITTER', value: ({ dueAt }) => inUtc(dueAt) };
  return [
    ...(timeZone === undefined ? [] : [local]),
    { title: 'UTC', value: ({ at }) => inUtc(at) },
    ...((schedule.spec.jitterMs ?? 0) > 0 ? [due] : []),
    { title: 'FROM NOW', value: ({ at }) => fromNow(at, now) },
  ];
}
