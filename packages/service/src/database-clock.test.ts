import { ManualClock } from '@escapement/testkit';
import { beforeEach, expect, test } from 'vitest';
import { createDatabaseClock, type DatabaseClock } from './database-clock.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
let clock: ManualClock;
let database: DatabaseClock;

/** Postgres, so far ahead, is asked; its answer takes so long there and back. */
function ask(aheadMs: number, { thereMs = 5, backMs = 5 } = {}): void {
  const sentMs = clock.monotonicMs();
  clock.advance(thereMs);
  const answer = new Date(START + clock.monotonicMs() + aheadMs);
  clock.advance(backMs);
  database.measure(answer, sentMs, clock.monotonicMs());
}

beforeEach(() => {
  clock = new ManualClock(new Date(START));
  database = createDatabaseClock(clock, 500);
});

test('before the first answer nothing is known, and the clock is not trusted', () => {
  expect([database.now(), database.offsetMs(), database.ok()]).toEqual([null, null, false]);
});

test("Postgres' time goes on between answers", () => {
  ask(2000);
  clock.advance(60_000);
  expect(database.now()).toEqual(new Date(START + 60_010 + 2000));
  expect(database.offsetMs()).toBe(-2000);
});

test.each([
  [500, true],
  [-500, true],
  [506, false],
  [-506, false],
])('a clock off by %i ms is trusted: %s', (aheadMs, trusted) => {
  ask(aheadMs);
  expect(database.ok()).toBe(trusted);
});

test("a wall clock that is set shows at once, and does not move Postgres' time", () => {
  ask(0);
  clock.set(new Date(START + 3_600_000));
  expect(database.ok()).toBe(false);
  expect(database.offsetMs()).toBe(3_600_000 - 10);
  expect(database.now()).toEqual(new Date(START + 10));
  clock.set(new Date(START + 10));
  expect(database.ok()).toBe(true);
});

test('an answer that was long on its way does not replace a better one, nor makes a good clock a bad one', () => {
  ask(0);
  ask(0, { thereMs: 1500, backMs: 0 });
  expect([database.offsetMs(), database.ok()]).toEqual([0, true]);
  clock.advance(2000);
  const other = createDatabaseClock(clock, 500);
  other.measure(new Date(START + clock.monotonicMs() + 750), clock.monotonicMs(), clock.monotonicMs() + 1500);
  expect(other.ok()).toBe(true);
});

test('a slow answer does not excuse a clock that is far off', () => {
  ask(5000, { thereMs: 3000, backMs: 3000 });
  expect(database.ok()).toBe(false);
});

test("that Postgres' own clock was set is believed, however slow the answer", () => {
  ask(0);
  ask(10_000, { thereMs: 200, backMs: 200 });
  expect(database.offsetMs()).toBe(-10_000);
});
