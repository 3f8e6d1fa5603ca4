import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gridAfter, isOnGrid, type RepeatGrid, repeatGrid } from './repeat-grid.ts';
import { nextFire, parseSchedule, type ScheduleSpec } from './schedule/index.ts';

const HOUR = 3_600_000;

function gridOf(spec: ScheduleSpec, fromMs = 0, toMs = HOUR): RepeatGrid | null {
  return repeatGrid(parseSchedule(spec, { seed: 'a' }), { fromMs, toMs });
}

it('has a grid for an interval with phase or anchor', () => {
  expect(gridOf({ kind: 'every', everyMs: 5000 })).toEqual({ everyMs: 5000, phaseMs: 0 });
  expect(gridOf({ kind: 'every', everyMs: 5000, phaseMs: 250 })).toEqual({ everyMs: 5000, phaseMs: 250 });
  const anchored = gridOf({ kind: 'every', everyMs: 7000, anchor: '2026-01-01T00:00:03Z' });
  expect(anchored).toEqual({ everyMs: 7000, phaseMs: Date.parse('2026-01-01T00:00:03Z') % 7000 });
});

it('has none for what a repeatable job cannot follow', () => {
  expect(gridOf({ kind: 'every', everyMs: 5000 }, 0, 4999)).toBeNull();
  expect(gridOf({ kind: 'every', everyMs: 5000 }, 5001)).toBeNull();
  expect(gridOf({ kind: 'every', everyMs: 5000, jitterMs: 100 })).toBeNull();
  expect(gridOf({ kind: 'every', everyMs: 5000, endAt: '2030-01-01T00:00:00Z' })).toBeNull();
  expect(gridOf({ kind: 'every', everyMs: 5000, maxRuns: 3 })).toBeNull();
  expect(gridOf({ kind: 'fixed-delay', delayMs: 5000 })).toBeNull();
  expect(gridOf({ kind: 'cron', expression: '* * * * *', timeZone: 'UTC' })).toBeNull();
});

it('agrees with nextFire at any instant', () => {
  const intervals = fc.integer({ min: 1000, max: 100_000 }).chain((everyMs) =>
    fc.record({
      everyMs: fc.constant(everyMs),
      phaseMs: fc.integer({ min: 0, max: everyMs - 1 }),
      atMs: fc.integer({ min: 0, max: 4e12 }),
    }),
  );
  fc.assert(
    fc.property(intervals, ({ atMs, ...spec }) => {
      const next = gridAfter(spec, atMs);
      expect(next).toBe(nextFire(parseSchedule({ kind: 'every', ...spec }, { seed: 'a' }), new Date(atMs))?.getTime());
      expect(isOnGrid(spec, next)).toBe(true);
      expect(isOnGrid(spec, next - 1)).toBe(false);
    }),
  );
});
