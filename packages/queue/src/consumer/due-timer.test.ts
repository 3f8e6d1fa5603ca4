import { expect, test } from 'vitest';
import { createDueTimer, type DueTimerOptions } from './due-timer.ts';
import { restAfter } from './gathered-waits.ts';

/** One whose clock and timer the test turns. `earlyMs` lets timers ring before their time. */
function setUp(options: Partial<DueTimerOptions<string>> & { earlyMs?: number } = {}) {
  const { earlyMs = 0, ...timerOptions } = options;
  let nowMs = 0;
  const timers = new Set<{ atMs: number; callback: () => void }>();
  const called: { atMs: number; items: string[] }[] = [];
  const timer = createDueTimer<string>({
    onDue: (items) => called.push({ atMs: nowMs, items }),
    clock: { now: () => new Date(nowMs), monotonicMs: () => nowMs },
    after(ms, callback) {
      const armed = { atMs: nowMs + Math.max(0, ms - earlyMs), callback };
      timers.add(armed);
      return () => timers.delete(armed);
    },
    ...timerOptions,
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
  return { timer, called, timers, advance };
}

test('each is started when it is due, whatever order they came in', () => {
  const { timer, called, advance } = setUp();
  timer.hold(300, 'c');
  timer.hold(100, 'a');
  timer.hold(200, 'b');
  advance(1000);
  expect(called).toEqual([
    { atMs: 100, items: ['a'] },
    { atMs: 200, items: ['b'] },
    { atMs: 300, items: ['c'] },
  ]);
});

test('those due together are started together, at most 500 at once', () => {
  const { timer, called, advance } = setUp();
  for (let i = 0; i < 1200; i++) timer.hold(50, `job ${i}`);
  advance(1000);
  expect(called.map(({ items }) => items.length)).toEqual([500, 500, 200]);
});

test('never early, even where the timer rings early', () => {
  const { timer, called, advance } = setUp({ earlyMs: 0.9 });
  timer.hold(100.5, 'a');
  advance(1000);
  expect(called).toHaveLength(1);
  expect(called[0]?.atMs).toBeGreaterThanOrEqual(100.5);
});

test('what is overdue is started at once', () => {
  const { timer, called, advance } = setUp();
  advance(500);
  timer.hold(400, 'late');
  advance(501);
  expect(called.map(({ items }) => items)).toEqual([['late']]);
});

test('what is beyond the horizon or the bound is not held', () => {
  const { timer } = setUp({ horizonMs: 1000, maxHeld: 2 });
  timer.hold(1001, 'far');
  expect(timer.held).toBe(0);
  for (const item of ['a', 'b', 'c']) timer.hold(1000, item);
  expect(timer.held).toBe(2);
});

test('there is one timer at a time, and none after stop', () => {
  const { timer, called, timers, advance } = setUp();
  for (const dueMs of [300, 200, 100, 400]) timer.hold(dueMs, 'x');
  expect(timers.size).toBe(1);
  timer.stop();
  expect(timers.size).toBe(0);
  advance(1000);
  expect(called).toEqual([]);
});

test('after a crowd it rests, and what becomes due meanwhile comes together', () => {
  const { timer, called, advance } = setUp({ restMs: restAfter });
  timer.hold(100, 'also due 100');
  for (const dueMs of [100, 102, 103, 120, 121]) timer.hold(dueMs, `due ${dueMs}`);
  advance(1000);
  expect(called).toEqual([
    { atMs: 100, items: expect.arrayContaining(['due 100', 'also due 100']) },
    { atMs: 104, items: ['due 102', 'due 103'] },
    // Those that come alone leave no rest behind.
    { atMs: 120, items: ['due 120'] },
    { atMs: 121, items: ['due 121'] },
  ]);
});

test.each([
  { everyMs: 10, latestMs: 0, atMost: 1 },
  { everyMs: 3, latestMs: 2, atMost: 1 },
  { everyMs: 1, latestMs: 10, atMost: 11 },
  { everyMs: 0.25, latestMs: 10.25, atMost: 41 },
])('one each $everyMs ms: at most $latestMs ms late, at most $atMost together', ({ everyMs, latestMs, atMost }) => {
  const lateMs: number[] = [];
  const { timer, called, advance } = setUp({ restMs: restAfter });
  for (let dueMs = 100; dueMs < 500; dueMs += everyMs) timer.hold(dueMs, String(dueMs));
  advance(1000);
  for (const { atMs, items } of called) for (const item of items) lateMs.push(atMs - Number(item));
  expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...lateMs)).toBeLessThanOrEqual(latestMs + 1);
  expect(Math.max(...called.map(({ items }) => items.length))).toBeLessThanOrEqual(atMost);
});
