import { expect, test } from 'vitest';
import { hoursOf, lookOf, type Outcomes, WEEKS, weeksOf } from './outcomes.ts';

const HOUR = 3_600_000;
const zone = 'Europe/Berlin';

function outcomes(from: string, more: Partial<Outcomes> = {}): Outcomes {
  const to = new Date(Date.parse(from) + HOUR).toISOString();
  const counts = { succeeded: 0, failed: 0, skipped: 0, missed: 0, cancelled: 0 };
  return { ...{ from, to }, ...counts, ...{ p50Ms: null, p95Ms: null, p99Ms: null }, ...more };
}

test('weeks begin on Monday, and end today', () => {
  const weeks = weeksOf([outcomes('2026-11-25T23:00:00Z', { succeeded: 3 })], { zone, today: '2026-11-26' });
  expect(weeks).toHaveLength(WEEKS);
  expect(weeks[0]?.[0]?.date).toBe('2026-10-19');
  expect(weeks.at(-1)?.map(({ date }) => date)).toEqual(['2026-11-23', '2026-11-24', '2026-11-25', '2026-11-26']);
  expect(weeks.at(-1)?.at(-1)?.outcomes).toMatchObject({ succeeded: 3 });
});

test('hours are those of the zone; one that is there twice has the runs of both', () => {
  const items = [
    outcomes('2026-10-25T00:00:00Z', { failed: 1 }),
    outcomes('2026-10-25T01:00:00Z', { failed: 2 }),
    outcomes('2026-10-25T23:00:00Z', { missed: 4 }),
  ];
  const [today, before] = hoursOf(items, { zone, today: '2026-10-26' });
  expect(today?.[0]?.outcomes).toMatchObject({ missed: 4 });
  expect(before?.[2]?.outcomes).toEqual({
    ...{ from: '2026-10-25T00:00:00Z', to: '2026-10-25T02:00:00.000Z' },
    ...{ succeeded: 0, failed: 3, skipped: 0, missed: 0, cancelled: 0 },
  });
  expect(before?.filter(({ outcomes: of }) => of !== null)).toHaveLength(1);
});

test('a cell looks like the worst that was in it, and says how many', () => {
  const seen = (more: Partial<Outcomes>) => {
    const { look, count } = lookOf(outcomes('2026-11-26T00:00:00Z', more));
    return [look.shape, count];
  };
  expect(seen({ succeeded: 9, missed: 2, failed: 1 })).toEqual(['cross', 1]);
  expect(seen({ succeeded: 9, missed: 2 })).toEqual(['gap', 2]);
  expect(seen({ succeeded: 9, skipped: 2 })).toEqual(['check', 9]);
  expect(seen({ skipped: 2, cancelled: 1 })).toEqual(['ring', 3]);
});
