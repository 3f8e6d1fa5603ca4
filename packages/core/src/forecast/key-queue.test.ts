import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OverlapPolicy } from '../overlap.ts';
import { createKeyQueue, type KeyStart } from './key-queue.ts';

const policy: fc.Arbitrary<OverlapPolicy> = fc.oneof(
  fc.record({ policy: fc.constant('skip' as const), skipAfterMs: fc.constantFrom(0, 50) }),
  fc.constant({ policy: 'wait-one' as const }),
  fc.record({
    policy: fc.constant('wait-all' as const),
    maxWaiting: fc.constantFrom(1, 3, 1000),
    maxWaitMs: fc.constantFrom(40, 100_000),
  }),
  fc.constant({ policy: 'allow' as const }),
);
const starts = fc
  .array(fc.record({ after: fc.nat(60), tookMs: fc.integer({ min: 1, max: 200 }), overlap: policy }), { maxLength: 40 })
  .map((given) => {
    let at = 0;
    return given.map(({ after, ...rest }): KeyStart => {
      at += after;
      return { at, ...rest };
    });
  });

const judged = (all: readonly KeyStart[], limit: number) => {
  const judge = createKeyQueue(limit);
  return all.map((start) => ({ ...start, ...judge(start) }));
};

describe('whatever comes', () => {
  test('no more than the limit are at work at once, of those that take a slot', () => {
    fc.assert(
      fc.property(starts, fc.integer({ min: 1, max: 4 }), (all, limit) => {
        const ran = judged(all, limit).flatMap(({ startedAt, tookMs, overlap }) =>
          startedAt === null || overlap.policy === 'allow' ? [] : [{ from: startedAt, to: startedAt + tookMs }],
        );
        for (const { from } of ran)
          expect(ran.filter((each) => each.from <= from && from < each.to).length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  test('none starts early, none waits longer than its policy lets it, and those that wait keep their order', () => {
    fc.assert(
      fc.property(starts, fc.integer({ min: 1, max: 4 }), (all, limit) => {
        let last = Number.NEGATIVE_INFINITY;
        for (const { at, startedAt, overlap } of judged(all, limit)) {
          if (startedAt === null) continue;
          const most =
            overlap.policy === 'skip'
              ? overlap.skipAfterMs
              : overlap.policy === 'wait-all'
                ? overlap.maxWaitMs
                : undefined;
          expect(startedAt - at).toBeGreaterThanOrEqual(0);
          expect(startedAt - at).toBeLessThanOrEqual(most ?? Number.POSITIVE_INFINITY);
          if (overlap.policy === 'allow') continue;
          expect(startedAt).toBeGreaterThanOrEqual(last);
          last = startedAt;
        }
      }),
    );
  });

  test('one that is skipped found its key busy', () => {
    fc.assert(
      fc.property(starts, fc.integer({ min: 1, max: 4 }), (all, limit) => {
        const ran = judged(all, limit);
        for (const { at, startedAt } of ran.filter((each) => each.startedAt === null)) {
          const before = ran.filter(
            (each) => each.startedAt !== null && each.overlap.policy !== 'allow' && each.at <= at,
          );
          expect(before.filter((each) => (each.startedAt ?? 0) + each.tookMs > at).length).toBeGreaterThanOrEqual(
            limit,
          );
          expect(startedAt).toBeNull();
        }
      }),
    );
  });
});

test.each<[OverlapPolicy, (number | null)[]]>([
  [{ policy: 'skip' }, [0, null, null, 30]],
  [{ policy: 'skip', skipAfterMs: 15 }, [0, null, 25, null]],
  [{ policy: 'wait-one' }, [0, 25, null, 50]],
  [{ policy: 'wait-all' }, [0, 25, 50, 75]],
  [{ policy: 'replace' }, [0, 9, 20, 30]],
  [{ policy: 'allow' }, [0, 9, 20, 30]],
])('runs of 25 ms that come at 0, 9, 20 and 30 ms: %j', (overlap, startedAt) => {
  const came = judged(
    [0, 9, 20, 30].map((at) => ({ at, tookMs: 25, overlap })),
    1,
  );
  expect(came.map((each) => each.startedAt)).toEqual(startedAt);
  expect(came.filter(({ replaces }) => replaces)).toHaveLength(overlap.policy === 'replace' ? 3 : 0);
});
