import { expect, test } from 'vitest';
import { createPromoter, type PromoterOptions } from './promoter.ts';

/** A promoter whose clock and timer the test turns. `earlyMs` lets timers ring before their time. */
function setUp(options: Partial<PromoterOptions<string>> & { earlyMs?: number } = {}) {
  const { earlyMs = 0, ...promoterOptions } = options;
  let nowMs = 0;
  const timers = new Set<{ atMs: number; callback: () => void }>();
  const promoted: { atMs: number; items: string[] }[] = [];
  const promoter = createPromoter<string>({
    promote: (items) => promoted.push({ atMs: nowMs, items }),
    clock: { now: () => new Date(nowMs), monotonicMs: () => nowMs },
    after(ms, callback) {
      const timer = { atMs: nowMs + Math.max(0, ms - earlyMs), callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    ...promoterOptions,
  });
  function advance(toMs: number): void {
    for (;;) {
      const [next] = [...timers].filter(({ atMs }) => atMs <= toMs).sort((a, b) => a.atMs - b.atMs);
      if (!next) break;
      timers.delete(next);
      nowMs = Math.max(nowMs + 0.01, next.atMs);
      next.callback();
    }
    nowMs = toMs;
  }
  return { promoter, promoted, timers, advance };
}

test('each is started when it is due, whatever order they came in', () => {
  const { promoter, promoted, advance } = setUp();
  promoter.hold(300, 'c');
  promoter.hold(100, 'a');
  promoter.hold(200, 'b');
  advance(1000);
  expect(promoted).toEqual([
    { atMs: 100, items: ['a'] },
    { atMs: 200, items: ['b'] },
    { atMs: 300, items: ['c'] },
  ]);
});

test('those due together are started together, at most 500 at once', () => {
  const { promoter, promoted, advance } = setUp();
  for (let i = 0; i < 1200; i++) promoter.hold(50, `job ${i}`);
  advance(1000);
  expect(promoted.map(({ items }) => items.length)).toEqual([500, 500, 200]);
});

test('never early, even where the timer rings early', () => {
  const { promoter, promoted, advance } = setUp({ earlyMs: 0.9 });
  promoter.hold(100.5, 'a');
  advance(1000);
  expect(promoted).toHaveLength(1);
  expect(promoted[0]?.atMs).toBeGreaterThanOrEqual(100.5);
});

test('what is overdue is started at once', () => {
  const { promoter, promoted, advance } = setUp();
  advance(500);
  promoter.hold(400, 'late');
  advance(501);
  expect(promoted.map(({ items }) => items)).toEqual([['late']]);
});

test('what is beyond the horizon or the bound is not held', () => {
  const { promoter } = setUp({ horizonMs: 1000, maxHeld: 2 });
  promoter.hold(1001, 'far');
  expect(promoter.held).toBe(0);
  for (const item of ['a', 'b', 'c']) promoter.hold(1000, item);
  expect(promoter.held).toBe(2);
});

test('there is one timer at a time, and none after stop', () => {
  const { promoter, promoted, timers, advance } = setUp();
  for (const dueMs of [300, 200, 100, 400]) promoter.hold(dueMs, 'x');
  expect(timers.size).toBe(1);
  promoter.stop();
  expect(timers.size).toBe(0);
  advance(1000);
  expect(promoted).toEqual([]);
});
