import { DAY, SECOND } from '@escapement/core';
import { expect, test } from 'vitest';
import { FleetClock } from './fleet-clock.ts';

test('has the date it was given, and goes on from there', () => {
  const clock = new FleetClock(new Date('2020-02-28T00:00:00Z'));
  const sinceMs = clock.now().getTime() - Date.parse('2020-02-28T00:00:00Z');
  expect(sinceMs).toBeGreaterThanOrEqual(-1);
  expect(sinceMs).toBeLessThan(30 * SECOND);
});

test('put forward, its date and its monotonic time go together', () => {
  const clock = new FleetClock(new Date('2020-02-28T00:00:00Z'));
  const before = { date: clock.now().getTime(), monotonicMs: clock.monotonicMs() };
  clock.putForward(2 * DAY);
  expect(clock.now().getTime() - before.date).toBeGreaterThanOrEqual(2 * DAY);
  expect(clock.monotonicMs() - before.monotonicMs).toBeGreaterThanOrEqual(2 * DAY);
  expect(clock.now().toISOString()).toMatch(/^2020-03-01T00:00/);
});
