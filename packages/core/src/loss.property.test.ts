import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, SCATTER_MS, SHARED_LOSSES, type Tries } from './verdict.ts';

const now = new Date('2026-01-01T00:00:00Z');
const maxLosts = fc.integer({ min: 1, max: 6 });
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

function verdictOf(loss: { shared: boolean; before: number }, lost: number, maxLost: number, random = 0) {
  const tries: Tries = {
    attempt: loss.before + 1,
    uncounted: loss.before,
    lost,
    maxLost,
    retry: { maxAttempts: 1 },
    delivery: 'at-least-once',
  };
  return decide({ kind: 'lost', worker: 'w', ...loss }, tries, now, random);
}

/** How many lost workers it takes until the run is quarantined; undefined: these are too few. */
function lossesUntilQuarantine(shared: readonly boolean[], maxLost: number): number | undefined {
  let lost = 0;
  for (const [before, isShared] of shared.entries()) {
    const verdict = verdictOf({ shared: isShared, before }, lost, maxLost);
    if (verdict.to === 'quarantined') return before + 1;
    lost += Number(verdict.lost);
  }
  return undefined;
}

/** Deaths of workers, each with who was there besides the run that caused it. */
const NEIGHBOURS = 4;
const deaths = fc.array(fc.uniqueArray(fc.nat(NEIGHBOURS - 1)), { minLength: 8, maxLength: 8 });

describe('the loss of a worker, held against its runs', () => {
  it('quarantines who takes its workers down after maxLost to maxLost + 2 of them, whoever else was there', () => {
    fc.assert(
      fc.property(maxLosts, deaths, (maxLost, neighbours) => {
        const shared = neighbours.map((there) => there.length > 0);
        const losses = lossesUntilQuarantine(shared, maxLost);
        expect(losses).toBeGreaterThanOrEqual(maxLost);
        expect(losses).toBeLessThanOrEqual(maxLost + SHARED_LOSSES);
      }),
    );
  });

  it('leaves a neighbour alone that was there fewer than maxLost + 2 times', () => {
    fc.assert(
      fc.property(maxLosts, deaths, fc.nat(NEIGHBOURS - 1), (maxLost, neighbours, who) => {
        const times = neighbours.filter((there) => there.includes(who)).length;
        const losses = lossesUntilQuarantine(Array<boolean>(times).fill(true), maxLost);
        expect(losses).toBe(times < maxLost + SHARED_LOSSES ? undefined : maxLost + SHARED_LOSSES);
      }),
    );
  });

  it('quarantines at maxLost who was alone each time', () => {
    fc.assert(
      fc.property(maxLosts, (maxLost) => {
        expect(lossesUntilQuarantine(Array<boolean>(8).fill(false), maxLost)).toBe(maxLost);
      }),
    );
  });

  it('tries again at once, but scatters runs that have lost a worker together more than once', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.nat(3), share, (shared, before, random) => {
        const { retryAt } = verdictOf({ shared, before }, 0, 6, random);
        const waitMs = (retryAt?.getTime() ?? Number.NaN) - now.getTime();
        expect(waitMs).toBe(shared && before > 0 ? Math.round(random * SCATTER_MS) : 0);
      }),
    );
  });

  it('names the limit that was reached', () => {
    expect(verdictOf({ shared: false, before: 2 }, 2, 3).reason).toBe(
      'lost its worker 3 times (limit 3), the last was w',
    );
    expect(verdictOf({ shared: true, before: 4 }, 0, 3).reason).toBe(
      'lost its worker 5 times (limit 5 where other runs were on it too), the last was w',
    );
  });
});
