import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyZone } from '../../../test/cron-arbitrary.ts';
import { rule } from '../../../test/rrule-arbitrary.ts';
import { ScheduleError } from '../error.ts';
import { firesBetween } from '../next-fire.ts';
import { oracleFires } from '../oracle/fires.ts';
import { parseSchedule } from '../parse.ts';
import type { Schedule } from '../schedule.ts';
import type { RruleSpec } from '../spec.ts';

const DAY = 24 * 3_600_000;

function parsed(spec: RruleSpec): Schedule | 'never' | 'refused' {
  try {
    return parseSchedule(spec);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    if (error.code === 'rrule_never') return 'never';
    // So sparse that its last occurrence is centuries away.
    if (error.code === 'rrule_count') return 'refused';
    throw error;
  }
}

const start = fc.date({ min: new Date('1990-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });

describe('a recurrence rule', () => {
  it('fires where the oracle says', () => {
    fc.assert(
      fc.property(rule, start, anyZone, fc.nat(400), (text, from, timeZone, days) => {
        const dtStart = from.toISOString().slice(0, 19);
        const spec: RruleSpec = { kind: 'rrule', rule: text, dtStart, timeZone };
        const schedule = parsed(spec);
        if (schedule === 'refused') return;
        const after = new Date(from.getTime() + days * DAY);
        const to = new Date(after.getTime() + 3 * DAY);
        const expected = oracleFires(spec, after, to);
        expect(schedule === 'never' ? [] : firesBetween(schedule, after, to, 10_000)).toEqual(expected);
      }),
      { numRuns: 120 },
    );
  });
});
