import { expect, test } from 'vitest';
import { type DayTimes, everyDay, stepsOf } from './series.ts';

const day = (date: string, p50: number): DayTimes => ({ date, from: date, to: date, p50, p95: p50, p99: p50 });

test('a day of which nothing is known is a gap between days', () => {
  const days = everyDay([day('2026-02-27', 1), day('2026-03-01', 2), day('2026-03-02', 4)], '2026-02-27', '2026-03-02');
  expect(days.map((each) => each?.p50 ?? null)).toEqual([1, null, 2, 4]);
  expect(stepsOf(days, 'p50', { pitch: 10, height: 40, mostMs: 4 })).toBe('M0 30H10M20 20H30V0H40');
});
