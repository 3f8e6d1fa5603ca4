import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../clock.ts';
import { type CatchUpPolicy, mostCaughtUp } from './catch-up-policy.ts';
import { planOccurrences } from './occurrences.ts';
import type { PlannedOccurrence } from './planned-occurrence.ts';

const NOW = Date.UTC(2026, 0, 1, 12);

const policy: fc.Arbitrary<CatchUpPolicy> = fc.oneof(
  fc.constant({ policy: 'none' } as const),
  fc.record({ policy: fc.constantFrom('latest', 'earliest'), withinMs: fc.integer({ min: 1, max: 9 * HOUR }) }),
  fc.record({
    policy: fc.constantFrom('all', 'ask'),
    withinMs: fc.integer({ min: 1, max: 9 * HOUR }),
    max: fc.integer({ min: 1, max: 50 }),
  }),
  fc.constantFrom<CatchUpPolicy>({ policy: 'latest' }, { policy: 'all' }, { policy: 'earliest' }),
) as fc.Arbitrary<CatchUpPolicy>;

const question = fc.record({
  catchUp: policy,
  everyMs: fc.constantFrom(SECOND, 5 * SECOND, 30 * SECOND, MINUTE, 7 * MINUTE, HOUR),
  /** How far back the outage began, in periods: enough for each policy, few enough to be checked one by one. */
  periodsAgo: fc.integer({ min: 0, max: 400 }),
  horizonMs: fc.constantFrom(0, 10 * SECOND),
  pause: fc.option(fc.tuple(fc.integer({ min: 0, max: 8 * HOUR }), fc.integer({ min: 1, max: 2 * HOUR }))),
});

type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

/** All passes of one outage, as planners make them one after the other. */
function passes({ catchUp, everyMs, periodsAgo, horizonMs, pause }: Question) {
  const agoMs = Math.min(periodsAgo * everyMs, 8 * HOUR);
  const next = (after: Date) => new Date((Math.floor(after.getTime() / everyMs) + 1) * everyMs);
  const pauses = pause
    ? [{ fromAt: new Date(NOW - pause[0]), untilAt: new Date(NOW - pause[0] + pause[1]), note: null }]
    : [];
  const first = next(new Date(NOW - agoMs - 1));
  const rows: PlannedOccurrence[] = [];
  let nextRunAt: Date | null = first;
  for (let pass = 0; pass < 10 && nextRunAt && nextRunAt.getTime() <= NOW; pass++) {
    const begunBefore = rows.filter(({ origin }) => origin === 'catch_up').length;
    const plan = planOccurrences({ next, nextRunAt, pauses, now: new Date(NOW), horizonMs, catchUp, begunBefore });
    rows.push(...plan.occurrences);
    nextRunAt = plan.nextRunAt;
  }
  return { rows, first, nextRunAt };
}

describe('whatever the outage and the policy', () => {
  it('each occurrence is in exactly one row, in order (I1, I2)', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const { rows, first, nextRunAt } = passes(asked);
        let expected = first.getTime();
        for (const { scheduledFor, untilAt, occurrences } of rows) {
          expect(scheduledFor.getTime()).toBe(expected);
          expected = (untilAt ?? scheduledFor).getTime() + asked.everyMs;
          expect(expected - scheduledFor.getTime()).toBe(occurrences * asked.everyMs);
        }
        expect(nextRunAt?.getTime()).toBe(expected);
      }),
    );
  });

  it('no more are caught up than the policy allows, and none too late', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const caughtUp = passes(asked).rows.filter(({ origin }) => origin === 'catch_up');
        expect(caughtUp.length).toBeLessThanOrEqual(mostCaughtUp(asked.catchUp));
        const within =
          'withinMs' in asked.catchUp ? (asked.catchUp.withinMs ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
        for (const { scheduledFor } of caughtUp) expect(NOW - scheduledFor.getTime()).toBeLessThanOrEqual(within);
      }),
    );
  });

  it('what never runs says why, and what fell into a pause is not made up for', () => {
    fc.assert(
      fc.property(question, (asked) => {
        for (const { state, reason, scheduledFor } of passes(asked).rows) {
          expect(reason === null).toBe(state === 'planned');
          if (!asked.pause || state === 'missed' || state === 'skipped') continue;
          const from = NOW - asked.pause[0];
          const inPause = scheduledFor.getTime() >= from && scheduledFor.getTime() < from + asked.pause[1];
          expect(inPause).toBe(false);
        }
      }),
    );
  });
});
