import { DAY, HOUR, ManualClock, MINUTE, SECOND } from '@escapement/core';
import { describe, expect, test } from 'vitest';
import { boxMs, type RunTimeboxParts, runTimebox } from './run-timebox.ts';

const startedAt = new Date('2026-01-01T00:00:00Z');

const bounds = (nextMs: number | null, timeoutMs = DAY): RunTimeboxParts['run'] => ({
  startedAt,
  nextAt: nextMs === null ? null : new Date(startedAt.getTime() + nextMs),
  timeoutMs,
});

describe('a box of a run is open', () => {
  test.each([
    ['until its next occurrence, less 10%', bounds(5 * MINUTE), 270 * SECOND],
    ['less 1 s at least', bounds(5 * SECOND), 4 * SECOND],
    ['less no more than half of the time', bounds(1 * SECOND), 500],
    ['less 60 s at most', bounds(1 * HOUR), 59 * MINUTE],
    ['no longer than its time limit, less the same margin', bounds(DAY, 10 * MINUTE), 9 * MINUTE],
    ['until its time limit, where there is no next occurrence', bounds(null, 1 * HOUR), 59 * MINUTE],
  ])('%s', (_, run, expected) => {
    expect(boxMs(run, undefined, 0)).toBe(expected);
  });

  test('as long as asked, within the time limit', () => {
    expect(boxMs(bounds(1 * MINUTE), 5 * MINUTE, 0)).toBe(5 * MINUTE);
    expect(boxMs(bounds(1 * MINUTE, 2 * MINUTE), 5 * MINUTE, 0)).toBe(108 * SECOND);
  });

  test('for less the later it is opened, and not at all once the time is over', () => {
    expect(boxMs(bounds(5 * MINUTE), undefined, 4 * MINUTE)).toBe(30 * SECOND);
    expect(boxMs(bounds(5 * MINUTE), undefined, 5 * MINUTE)).toBe(0);
    expect(boxMs(bounds(5 * MINUTE, 1 * MINUTE), 10 * SECOND, 50 * SECOND)).toBe(4 * SECOND);
  });
});

function parts(nextMs: number | null) {
  // An hour off: only spans count.
  const clock = new ManualClock('2026-01-01T01:00:00Z');
  const controller = new AbortController();
  let heartbeats = 0;
  const heartbeat = () => {
    heartbeats += 1;
  };
  const open = runTimebox({ run: bounds(nextMs), signal: controller.signal, heartbeat, clock });
  return { clock, controller, open, heartbeats: () => heartbeats };
}

test('counts by its own monotonic clock, from the begin of the attempt', async () => {
  const { clock, open } = parts(1 * MINUTE);
  clock.advance(24 * SECOND);
  expect(await open(() => clock.advance(10 * SECOND))).toEqual({
    turns: 3,
    elapsedMs: 30_000,
    ended: 'time',
    overrunMs: 0,
  });
});

test('each turn is a heartbeat', async () => {
  const { clock, open, heartbeats } = parts(1 * MINUTE);
  await open(() => clock.advance(10 * SECOND));
  expect(heartbeats()).toBe(5);
});

test('the signal of the run ends it', async () => {
  const { controller, open } = parts(1 * MINUTE);
  expect(await open(() => controller.abort())).toMatchObject({ turns: 1, ended: 'aborted' });
});

test.each([
  ['an unknown algorithm', () => undefined, { algorithm: 'strict' }],
  ['less than nothing', () => undefined, { durationMs: -1 }],
  ['no number', () => undefined, { durationMs: '5 min' }],
  ['no operator', undefined, {}],
])('%s is refused', async (_, operator, options) => {
  const { open } = parts(1 * MINUTE);
  await expect(Reflect.apply(open, undefined, [operator, options])).rejects.toMatchObject({ code: 'bad_timebox' });
});
