import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../clock.ts';
import { type Occurrences, occurrencesOf } from './calendar/occurrences.ts';
import { compareFires, type FireComparison, MOST_NAMED } from './diff.ts';
import { parseSchedule } from './parse.ts';

const cron = (expression: string, timeZone = 'UTC') =>
  occurrencesOf(parseSchedule({ kind: 'cron', expression, timeZone }));
const every = (everyMs: number) => occurrencesOf(parseSchedule({ kind: 'every', everyMs }));
const WEEK = { from: new Date('2026-03-02T00:00:00Z'), to: new Date('2026-03-08T23:59:59Z'), timeZone: 'UTC' };

function compared(before: Occurrences | undefined, after: Occurrences | undefined, comparison: FireComparison) {
  const steps = compareFires(before, after, comparison);
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next();
    if (done) return { ...value, pauses };
  }
}

test('a fire at another time of the same day has moved', () => {
  const { moved, added, removed, kept } = compared(cron('0 3 * * *'), cron('0 4 * * *'), WEEK);
  expect(moved.count).toBe(7);
  expect(moved.first[0]).toEqual({ from: new Date('2026-03-02T03:00:00Z'), to: new Date('2026-03-02T04:00:00Z') });
  expect([added.count, removed.count, kept]).toEqual([0, 0, 0]);
});

test('fires on days that lose or gain some are removed and added', () => {
  const { moved, added, removed, kept } = compared(cron('0 3 * * 1-5'), cron('0 3 * * 3-7'), WEEK);
  expect(removed.first.map((at) => at.getUTCDay())).toEqual([1, 2]);
  expect(added.first.map((at) => at.getUTCDay())).toEqual([6, 0]);
  expect([moved.count, kept]).toEqual([0, 3]);
});

test('a new schedule adds all of its fires, one that goes removes them', () => {
  expect(compared(undefined, cron('0 3 * * *'), WEEK).added.count).toBe(7);
  expect(compared(cron('0 3 * * *'), undefined, WEEK).removed.count).toBe(7);
});

test('the day is that of the zone', () => {
  const late = cron('30 23 * * *', 'America/New_York');
  const early = cron('30 1 * * *', 'America/New_York');
  const { moved } = compared(late, early, { ...WEEK, timeZone: 'America/New_York' });
  expect(moved.count).toBeGreaterThanOrEqual(6);
  for (const { from, to } of moved.first) expect(from.getTime() - to.getTime()).toBe(22 * 3_600_000);
});

test('all fires of a week are counted, also of a schedule that fires each second; some of each kind are named', () => {
  const week = { ...WEEK, to: new Date(WEEK.from.getTime() + 7 * DAY - 1) };
  const all = compared(undefined, every(1000), week);
  expect(all).toMatchObject({ added: { count: 604_800 }, kept: 0, truncated: false, comparedTo: week.to });
  expect(all.added.first).toEqual(
    Array.from({ length: MOST_NAMED }, (_, n) => new Date(week.from.getTime() + n * 1000)),
  );
  expect(compared(every(1000), every(2000), week)).toMatchObject({
    added: { count: 0, first: [] },
    removed: { count: 302_400 },
    moved: { count: 0 },
    kept: 302_400,
  });
});

test('who asks comes to its turn each few milliseconds', () => {
  expect(compared(undefined, every(1000), WEEK).pauses).toBe(120);
});

test('beyond the bound nothing is said, and that is told', () => {
  const changes = compared(every(1000), every(2000), { ...WEEK, atMost: 5000 });
  expect(changes).toMatchObject({
    removed: { count: 2500 },
    added: { count: 0 },
    kept: 2500,
    truncated: true,
    comparedTo: new Date(WEEK.from.getTime() + 4999 * 1000),
  });
  const hour = { ...WEEK, to: new Date(WEEK.from.getTime() + HOUR) };
  expect(compared(undefined, every(MINUTE), { ...hour, atMost: 61 })).toMatchObject({
    truncated: false,
    comparedTo: hour.to,
  });
});
