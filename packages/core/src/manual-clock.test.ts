import { expect, test } from 'vitest';
import { ManualClock } from './manual-clock.ts';

test('stands still until told', () => {
  const clock = new ManualClock('2026-03-29T00:59:59Z');
  expect(clock.now().toISOString()).toBe('2026-03-29T00:59:59.000Z');
  expect(clock.monotonicMs()).toBe(0);
});

test('advancing moves the wall and the monotonic clock', () => {
  const clock = new ManualClock('2026-03-29T00:59:59Z');
  clock.advance(1_500);
  expect(clock.now().toISOString()).toBe('2026-03-29T01:00:00.500Z');
  expect(clock.monotonicMs()).toBe(1_500);
});

test('setting the wall clock back leaves spans alone', () => {
  const clock = new ManualClock('2026-01-02T00:00:00Z');
  clock.advance(10);
  clock.set('2026-01-01T00:00:00Z');
  expect(clock.now().toISOString()).toBe('2026-01-01T00:00:00.000Z');
  expect(clock.monotonicMs()).toBe(10);
});

test('refuses what is no instant and time that runs backwards', () => {
  expect(() => new ManualClock('yesterday')).toThrow('not an instant');
  expect(() => new ManualClock().advance(-1)).toThrow('-1');
});
