import { expect, test } from 'vitest';
import { occurrencesOf } from './calendar/occurrences.ts';
import { compareFires, MAX_COMPARED } from './diff.ts';
import { parseSchedule } from './parse.ts';

const cron = (expression: string, timeZone = 'UTC') =>
  occurrencesOf(parseSchedule({ kind: 'cron', expression, timeZone }));
const WEEK = { from: new Date('2026-03-02T00:00:00Z'), to: new Date('2026-03-08T23:59:59Z'), timeZone: 'UTC' };

test('a fire at another time of the same day has moved', () => {
  const { moved, added, removed, kept } = compareFires(cron('0 3 * * *'), cron('0 4 * * *'), WEEK);
  expect(moved).toHaveLength(7);
  expect(moved[0]).toEqual({ from: new Date('2026-03-02T03:00:00Z'), to: new Date('2026-03-02T04:00:00Z') });
  expect([added, removed, kept]).toEqual([[], [], 0]);
});

test('fires on days that lose or gain some are removed and added', () => {
  const { moved, added, removed, kept } = compareFires(cron('0 3 * * 1-5'), cron('0 3 * * 3-7'), WEEK);
  expect(removed.map((at) => at.getUTCDay())).toEqual([1, 2]);
  expect(added.map((at) => at.getUTCDay())).toEqual([6, 0]);
  expect([moved, kept]).toEqual([[], 3]);
});

test('a new schedule adds all of its fires, one that goes removes them', () => {
  expect(compareFires(undefined, cron('0 3 * * *'), WEEK).added).toHaveLength(7);
  expect(compareFires(cron('0 3 * * *'), undefined, WEEK).removed).toHaveLength(7);
});

test('the day is that of the zone', () => {
  const late = cron('30 23 * * *', 'America/New_York');
  const early = cron('30 1 * * *', 'America/New_York');
  const { moved } = compareFires(late, early, { ...WEEK, timeZone: 'America/New_York' });
  expect(moved.length).toBeGreaterThanOrEqual(6);
  for (const { from, to } of moved) expect(from.getTime() - to.getTime()).toBe(22 * 3_600_000);
});

test('of dense schedules the beginning is compared, and it is said', () => {
  const every = (everyMs: number) => occurrencesOf(parseSchedule({ kind: 'every', everyMs }));
  const changes = compareFires(every(1000), every(2000), WEEK);
  expect(changes.truncated).toBe(true);
  expect(changes.added).toEqual([]);
  expect(changes.removed.length + changes.kept).toBe(MAX_COMPARED);
  expect(changes.removed.length).toBe(MAX_COMPARED / 2);
  expect(changes.comparedTo).toEqual(new Date(WEEK.from.getTime() + (MAX_COMPARED - 1) * 1000));
  expect(compareFires(undefined, every(60_000), { ...WEEK, to: new Date('2026-03-02T01:00:00Z') })).toMatchObject({
    truncated: false,
    comparedTo: new Date('2026-03-02T01:00:00Z'),
  });
});
