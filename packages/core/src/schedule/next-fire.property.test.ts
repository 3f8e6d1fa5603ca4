import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyZone, cronChoice, dstChoice } from '../../test/cron-arbitrary.ts';
import { ScheduleError } from './error.ts';
import { firesBetween, nextFire } from './next-fire.ts';
import { oracleFires } from './oracle/fires.ts';
import { parseSchedule } from './parse.ts';
import type { Schedule } from './schedule.ts';
import type { CronSpec } from './spec.ts';

const HOUR = 3_600_000;
const instant = fc.date({ min: new Date('1970-01-03'), max: new Date('2060-12-31'), noInvalidDate: true });
const rules = fc.record({
  timeZone: anyZone,
  dayMatch: fc.constantFrom('or' as const, 'and' as const),
  dst: dstChoice,
});
const offset = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ dayOffset: fc.integer({ min: -31, max: 31 }) }) },
  { weight: 1, arbitrary: fc.record({ workingDayOffset: fc.integer({ min: -23, max: 23 }) }) },
);
const spec: fc.Arbitrary<CronSpec> = fc
  .tuple(cronChoice, rules, offset)
  .map(([cron, zone, moved]): CronSpec => ({ kind: 'cron', ...cron, ...zone, ...moved }));

/** Undefined for an expression that never fires, or contradicts dayMatch; it is refused, and has nothing to compare. */
function parsed(of: CronSpec): Schedule | undefined {
  try {
    return parseSchedule(of);
  } catch (error) {
    if (error instanceof ScheduleError && ['cron_never', 'cron_day_match'].includes(error.code)) return undefined;
    throw error;
  }
}

describe('nextFire', () => {
  it('equals the oracle at random points of all zones', () => {
    fc.assert(
      fc.property(spec, instant, (of, from) => {
        const schedule = parsed(of);
        if (!schedule) return;
        const to = new Date(from.getTime() + 8 * HOUR);
        expect(firesBetween(schedule, from, to, 200_000)).toEqual(oracleFires(of, from, to).slice(0, 200_000));
      }),
      { numRuns: 200 },
    );
  });

  it('equals the oracle over a year of days that are moved', () => {
    const days = fc.tuple(
      fc.constantFrom('L', 'LW', '15', '1-7', '*', '31', '15W', '*/9'),
      fc.constantFrom('*', '*', 'SAT#1', '+MON', 'FRI', '5L', '+1-5'),
    );
    fc.assert(
      fc.property(days, offset, anyZone, instant, ([day, weekday], moved, timeZone, from) => {
        const of: CronSpec = { kind: 'cron', expression: `30 2 ${day} * ${weekday}`, timeZone, ...moved };
        const to = new Date(from.getTime() + 366 * 24 * HOUR);
        expect(firesBetween(parseSchedule(of), from, to)).toEqual(oracleFires(of, from, to));
      }),
      { numRuns: 100 },
    );
  });

  it('is strictly after its argument, monotonic, and not past an earlier fire', () => {
    fc.assert(
      fc.property(spec, instant, fc.nat(40 * 24 * HOUR), (of, after, later) => {
        const schedule = parsed(of);
        const fire = schedule && nextFire(schedule, after);
        if (!schedule || !fire) return;
        expect(fire.getTime()).toBeGreaterThan(after.getTime());
        const laterFire = nextFire(schedule, new Date(after.getTime() + later));
        expect(laterFire?.getTime()).toBeGreaterThanOrEqual(fire.getTime());
        expect(nextFire(schedule, new Date(fire.getTime() - 1))).toEqual(fire);
      }),
      { numRuns: 500 },
    );
  });
});
