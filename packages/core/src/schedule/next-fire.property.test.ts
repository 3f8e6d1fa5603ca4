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
const spec: fc.Arbitrary<CronSpec> = fc
  .tuple(cronChoice, rules)
  .map(([cron, zone]): CronSpec => ({ kind: 'cron', ...cron, ...zone }));

/** Undefined for an expression that never fires; it is refused, and has nothing to compare. */
function parsed(of: CronSpec): Schedule | undefined {
  try {
    return parseSchedule(of);
  } catch (error) {
    if (error instanceof ScheduleError && error.code === 'cron_never') return undefined;
    throw error;
  }
}

describe('nextFire', () => {
  it('equals the oracle at random points of all zones', { timeout: 60_000 }, () => {
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
