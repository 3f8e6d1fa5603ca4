import { nextFire } from '../next-fire.ts';
import type { Schedule } from '../schedule.ts';
import { lintClockChanges } from './clock-changes.ts';
import { lintDays } from './days.ts';
import { lintOffset } from './offset.ts';
import type { ScheduleLint } from './schedule-lint.ts';
import { lintSteps } from './steps.ts';

/**
 * What a careful colleague would ask about a schedule. `now` is where its future begins: changes of the
 * clock are looked for in the 400 days after it.
 */
export function lintSchedule(schedule: Schedule, now: Date): ScheduleLint[] {
  const lints =
    schedule.kind === 'cron' ? [...lintDays(schedule), ...lintOffset(schedule), ...lintSteps(schedule)] : [];
  return [...lints, ...lintClockChanges(schedule, now), ...lintEnd(schedule, now), ...lintJitter(schedule, now)];
}

function lintEnd(schedule: Schedule, now: Date): ScheduleLint[] {
  if (schedule.kind === 'manual' || nextFire(schedule, now)) return [];
  return [{ code: 'never_again', message: `it does not fire after ${now.toISOString()}` }];
}

function lintJitter(schedule: Schedule, now: Date): ScheduleLint[] {
  const { jitterMs = 0 } = schedule.spec;
  const first = jitterMs > 0 ? nextFire(schedule, now) : null;
  const second = first && nextFire(schedule, first);
  const distance = first && second ? second.getTime() - first.getTime() : Number.POSITIVE_INFINITY;
  if (jitterMs <= distance) return [];
  return [
    {
      code: 'jitter_cut',
      message: `jitterMs ${jitterMs} is more than the ${distance} ms between two fires, and is cut to that`,
    },
  ];
}
