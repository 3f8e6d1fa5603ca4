import { jitterOf, nextFire } from '@escapement/core';
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
  const fires: Fire[] = [];
  let at = nextFire(asked.schedule, asked.after);
  while (at && fires.length < count) {
    fires.push(fireAt(at, asked));
    at = nextFire(asked.schedule, at);
  }
  return fires;
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
