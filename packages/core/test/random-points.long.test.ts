import { type CronSpec, nextFire, oracleFires, parseSchedule, ScheduleError } from '@escapement/core/schedule';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyZone, cronChoice, dstChoice } from './cron-arbitrary.ts';

const DAY = 24 * 3_600_000;

describe('nextFire at random points', () => {
  it('equals the oracle 6,000 times', { timeout: 600_000 }, () => {
    const point = fc.tuple(cronChoice, fc.record({ timeZone: anyZone, dst: dstChoice }));
    const instant = fc.date({ min: new Date('1970-01-03'), max: new Date('2060-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(point, instant, ([cron, zone], after) =>
        expectNextFireAsOracle({ kind: 'cron', ...cron, ...zone }, after),
      ),
      { numRuns: 6000 },
    );
  });
});

/** The fire itself, and nothing between it and the question; a fire far away is looked at from both ends. */
function expectNextFireAsOracle(spec: CronSpec, after: Date): void {
  try {
    const fire = nextFire(parseSchedule(spec, { seed: 'task' }), after);
    if (!fire) {
      expect(oracleFires(spec, after, new Date(after.getTime() + 30 * DAY))).toEqual([]);
      return;
    }
    const near = new Date(Math.min(fire.getTime(), after.getTime() + 3 * DAY));
    const close = new Date(Math.max(after.getTime(), fire.getTime() - 3 * DAY));
    const found = [
      ...oracleFires(spec, after, near, { seed: 'task' }),
      ...oracleFires(spec, close, fire, { seed: 'task' }),
    ];
    expect(new Set(found.map(Number)), JSON.stringify(spec)).toEqual(new Set([fire.getTime()]));
  } catch (error) {
    if (!(error instanceof ScheduleError && error.code === 'cron_never')) throw error;
  }
}
