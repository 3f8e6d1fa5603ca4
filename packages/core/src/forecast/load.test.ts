import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLoad, type Took } from './load.ts';

const FROM = Date.UTC(2027, 0, 4);
const SECONDS = 120;
const TO = FROM + SECONDS * 1000;

interface Runs {
  at: number[];
  each: number;
  took: Took | null;
}

const runs = fc.record<Runs>({
  at: fc
    .array(fc.integer({ min: -60_000, max: SECONDS * 1000 - 1 }), { maxLength: 8 })
    .map((at) => at.toSorted((a, b) => a - b).map((ms) => FROM + ms)),
  each: fc.integer({ min: 1, max: 3 }),
  took: fc.option(
    fc.record({ p50Ms: fc.integer({ min: 0, max: 90_000 }), p95Ms: fc.integer({ min: 0, max: 180_000 }) }),
  ),
});

/** Runs that are at work in a second, each counted by hand. */
function atWork(all: readonly Runs[], second: number, tookMs: (took: Took) => number): number {
  const [from, to] = [FROM + second * 1000, FROM + (second + 1) * 1000];
  return (
    all
      .flatMap(({ at, each, took }) =>
        took === null ? [] : at.map((start) => ({ start, each, end: start + tookMs(took) })),
      )
      // One that takes no time is at work in the second in which it starts.
      .filter(({ start, end }) => start < to && (end > from || start >= from))
      .reduce((sum, { each }) => sum + each, 0)
  );
}

test('what is at work in each second is as if counted by hand', () => {
  fc.assert(
    fc.property(
      fc.array(runs, { maxLength: 6 }),
      fc.nat(SECONDS - 1),
      fc.integer({ min: 1, max: SECONDS }),
      (all, first, length) => {
        const [one, other] = [createLoad(FROM, TO), createLoad(FROM, TO)];
        for (const [index, { at, each, took }] of all.entries())
          (index % 2 ? one : other).add(Float64Array.from(at), each, took);
        one.addAll(other);
        const end = Math.min(SECONDS, first + length);
        const seconds = Array.from({ length: end - first }, (_, index) => first + index);
        const found = one.of(FROM + first * 1000, FROM + end * 1000);
        const starts = all.flatMap(({ at, each }) =>
          at.filter((ms) => ms >= FROM + first * 1000 && ms < FROM + end * 1000).map(() => each),
        );
        expect(found.starts).toBe(starts.reduce((sum, each) => sum + each, 0));
        for (const [peak, tookMs] of [
          [found.p50, (took: Took) => took.p50Ms],
          [found.p95, (took: Took) => took.p95Ms],
        ] as const) {
          const counts = seconds.map((second) => atWork(all, second, tookMs));
          expect(peak.runs).toBe(Math.max(0, ...counts));
          const reached = counts.indexOf(peak.runs);
          expect(peak.at).toBe(peak.runs === 0 ? null : FROM + (first + reached) * 1000);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('more than a week is looked at in longer pieces', () => {
  const load = createLoad(FROM, FROM + 366 * 86_400_000);
  load.add(Float64Array.from([FROM + 365 * 86_400_000]), 1, { p50Ms: 1000, p95Ms: 1000 });
  expect(load.of(FROM, FROM + 366 * 86_400_000)).toMatchObject({ starts: 1, p50: { runs: 1 } });
  expect(load.cells.starts.length).toBeLessThanOrEqual(604_800);
});
