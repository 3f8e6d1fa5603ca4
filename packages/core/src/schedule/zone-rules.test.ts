import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { anyZone, cronChoice, dstChoice } from '../../test/cron-arbitrary.ts';
import { HOUR } from '../clock.ts';
import { ScheduleError } from './error.ts';
import { zoneRulesOf } from './known-zone-rules.ts';
import { firesBetween } from './next-fire.ts';
import { oracleFires } from './oracle/fires.ts';
import { parseSchedule } from './parse.ts';
import type { CronSpec } from './spec.ts';
import { offsetBy, type ZoneRules, zoneDifferences } from './zone-rules.ts';

const SPAN = { from: new Date('1990-01-01T00:00:00Z'), to: new Date('2050-01-01T00:00:00Z') };
/** As before 1996: the clock is set back in September. */
const SEPTEMBER: ZoneRules = {
  offset: 3600,
  changes: [
    [Date.parse('2026-03-29T01:00:00Z') / 1000, 7200],
    [Date.parse('2026-09-27T01:00:00Z') / 1000, 3600],
  ],
};

const instant = fc.date({ min: new Date('1995-01-01'), max: new Date('2045-01-01'), noInvalidDate: true });
const spec: fc.Arbitrary<CronSpec> = fc
  .tuple(cronChoice, fc.record({ timeZone: anyZone, dst: dstChoice }))
  .map(([cron, zone]): CronSpec => ({ kind: 'cron', ...cron, ...zone }));

/** Up to 20 fires of 40 days; undefined for an expression that never fires. */
function fires(of: CronSpec, from: Date, zones?: ReadonlyMap<string, ZoneRules>): string[] | undefined {
  try {
    const schedule = parseSchedule(of, zones ? { zones } : {});
    return firesBetween(schedule, from, new Date(from.getTime() + 40 * 24 * HOUR), 20).map((at) => at.toISOString());
  } catch (error) {
    if (error instanceof ScheduleError) return undefined;
    throw error;
  }
}

describe('a zone that was written down', () => {
  it('has the fires of the zone itself', () => {
    fc.assert(
      fc.property(spec, instant, (of, from) => {
        const zones = new Map([[of.timeZone, zoneRulesOf(of.timeZone, SPAN)]]);
        expect(fires(of, from, zones)).toEqual(fires(of, from));
      }),
    );
  });

  it('has them by the oracle too', () => {
    fc.assert(
      fc.property(spec, instant, (of, from) => {
        const zones = new Map([[of.timeZone, SEPTEMBER]]);
        const expected = fires(of, from, zones);
        if (!expected || expected.length === 0 || expected.length === 20) return;
        const to = new Date(from.getTime() + 40 * 24 * HOUR);
        expect(oracleFires(of, from, to, { zones }).map((at) => at.toISOString())).toEqual(expected);
      }),
    );
  });
});

test('a task at nine fires an hour later in UTC where the clock was set back a month earlier', () => {
  const nine: CronSpec = { kind: 'cron', expression: '0 9 * * *', timeZone: 'Europe/Berlin' };
  const zones = new Map([['Europe/Berlin', SEPTEMBER]]);
  const from = new Date('2026-09-26T12:00:00Z');
  expect(fires(nine, from)?.slice(0, 2)).toEqual(['2026-09-27T07:00:00.000Z', '2026-09-28T07:00:00.000Z']);
  expect(fires(nine, from, zones)?.slice(0, 2)).toEqual(['2026-09-27T08:00:00.000Z', '2026-09-28T08:00:00.000Z']);
});

test('rules are told apart where their clocks differ', () => {
  const berlin = zoneRulesOf('Europe/Berlin', SPAN);
  expect(zoneDifferences(berlin, berlin, SPAN.from)).toEqual([]);
  const now = new Date('2026-06-01T00:00:00Z');
  const [first, second] = zoneDifferences(SEPTEMBER, berlin, now);
  expect(first).toEqual({
    from: new Date('2026-09-27T01:00:00Z'),
    to: new Date('2026-10-25T01:00:00Z'),
    was: 3600,
    is: 7200,
  });
  // From then on the rules above know of no summer.
  expect(second).toMatchObject({ from: new Date('2027-03-28T01:00:00Z'), was: 3600, is: 7200 });
});

test('an instant on a change has the offset from then on', () => {
  const [[at] = [0]] = SEPTEMBER.changes;
  expect([at - 1, at, at + 1].map((each) => offsetBy(SEPTEMBER, each))).toEqual([3600, 7200, 7200]);
});
