import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jitterOf } from './jitter.ts';
import { nextFire } from './next-fire.ts';
import { parseSchedule } from './parse.ts';

const noon = new Date('2026-05-01T12:00:00Z');

describe('jitter', () => {
  it('is none where none is asked for', () => {
    expect(jitterOf(parseSchedule({ kind: 'every', everyMs: 60_000 }), noon, 'backup')).toBe(0);
  });

  it('is the same for the same task and occurrence, and spreads tasks and occurrences', () => {
    const schedule = parseSchedule({ kind: 'every', everyMs: 3_600_000, jitterMs: 600_000 });
    const of = (seed: string, hours: number): number =>
      jitterOf(schedule, new Date(noon.getTime() + hours * 3_600_000), seed);
    expect(of('backup', 0)).toBe(of('backup', 0));
    const spread = new Set(Array.from({ length: 100 }, (_, n) => of(`task-${n}`, n % 3)));
    expect(spread.size).toBeGreaterThan(95);
  });

  it('is below jitterMs and never reaches the next occurrence', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 86_400_000 }), fc.string(), (jitterMs, seed) => {
        const schedule = parseSchedule({ kind: 'cron', expression: '0 0,1 * * *', timeZone: 'UTC', jitterMs });
        const at = new Date('2026-05-01T00:00:00Z');
        const delay = jitterOf(schedule, at, seed);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThan(jitterMs);
        expect(at.getTime() + delay).toBeLessThan(nextFire(schedule, at)?.getTime() ?? 0);
      }),
    );
  });
});
