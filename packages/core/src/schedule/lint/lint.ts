import { nextFire } from '../next-fire.ts';
import type { Schedule } from '../schedule.ts';
import { lintClockChanges } from './clock-changes.ts';
import { lintDays } from './days.ts';
import { lintSteps } from './steps.ts';

/** Something about a schedule that is allowed, and perhaps not what was meant. */
export interface ScheduleLint {
  /** Stable, for programs. */
  code:
    | 'never_again'
    | 'either_day_field'
    | 'not_the_nth_weekday'
    | 'short_months'
    | 'uneven_step'
    | 'step_too_large'
    | 'clock_gap'
    | 'clock_overlap'
    | 'jitter_cut';
  message: string;
  /** What to write instead, where there is something. */
  fix?: string;
  /** The change of the clock that a `clock_...` lint is about: the first instant with the new offset. */
  at?: Date;
}

/**
 * What a careful colleague would ask about a schedule. `now` is where its future begins: changes of the
 * clock are looked for in the 400 days after it.
 */
export function lintSchedule(schedule: Schedule, now: Date): ScheduleLint[] {
  const lints = schedule.kind === 'cron' ? [...lintDays(schedule), ...lintSteps(schedule)] : [];
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
