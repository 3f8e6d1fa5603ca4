import { expect, it } from 'vitest';
import { runFigures, type Span } from './run-figures.ts';
import type { SeenRun } from './seen-runs.ts';

const SPAN: Span = { fromMs: 10_000, toMs: 20_000, untilMs: 30_000 };
const RATE = 4;

/** Due at a steady rate from the instant 0 on, each 5 ms late, over after 10 ms more. */
function steady(change: (run: SeenRun) => Partial<SeenRun> = () => ({})): SeenRun[] {
  return Array.from({ length: 30 * RATE }, (_, index) => {
    const dueMs = (index * 1000) / RATE;
    const run = { dueMs, startedMs: dueMs + 5, endedMs: dueMs + 15, state: 'succeeded', attempts: 1 };
    return { ...run, ...change(run) };
  });
}

const isDueIn = ({ dueMs }: SeenRun, fromMs: number, toMs: number) => dueMs >= fromMs && dueMs < toMs;

it('a fleet that keeps up completes what is due, during the phase and after it', () => {
  expect(runFigures(steady(), SPAN, RATE)).toEqual({
    rows: 40,
    during: RATE,
    after: RATE,
    late: { p50: 5, p99: 5 },
    lateAfter: { p50: 5, p99: 5 },
    retried: 0,
    unsuccessful: 0,
    drainMs: 0,
  });
});

it('a fleet that stands still for the second half of a phase completes these runs after it', () => {
  const runs = steady((run) => (isDueIn(run, 15_000, 20_000) ? { startedMs: 22_000, endedMs: 22_100 } : {}));
  const figures = runFigures(runs, SPAN, RATE);
  expect(figures).toMatchObject({ during: RATE / 2, after: RATE * 1.5, drainMs: 2250 });
  expect(figures.late.p99).toBe(7000);
  expect(figures.lateAfter).toEqual({ p50: 5, p99: 5 });
});

it('a run that never began is late without end, and the fleet never catches up with many of them', () => {
  const never = { startedMs: null, endedMs: null, state: 'queued', attempts: 0 };
  const figures = runFigures(
    steady((run) => (isDueIn(run, 17_000, 20_000) ? never : {})),
    SPAN,
    RATE,
  );
  expect(figures).toMatchObject({ rows: 40, unsuccessful: 12, drainMs: Number.NaN });
  expect(figures.late).toEqual({ p50: 5, p99: Number.POSITIVE_INFINITY });
});

it('only runs due in the phase count as retried or without success', () => {
  const runs = steady((run) => (isDueIn(run, 9000, 11_000) ? { attempts: 2, state: 'failed' } : {}));
  expect(runFigures(runs, SPAN, RATE)).toMatchObject({ retried: 4, unsuccessful: 4 });
});

it('without a rest there is no rate after the phase', () => {
  expect(runFigures(steady(), { ...SPAN, untilMs: SPAN.toMs }, RATE).after).toBeNaN();
});
