import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partsOfLateness } from './lateness.ts';

const at = (ms: number) => new Date(1_800_000_000_000 + ms);
const run = (createdMs: number, startedMs: number, waitingMs: number | null = null) => ({
  ...{ attempt: 1, createdAt: at(createdMs), dueAt: at(0), startedAt: at(startedMs) },
  waitingSince: waitingMs === null ? null : at(waitingMs),
});

test.each([
  ['planned ahead, begun at once', run(-9000, 5), { totalMs: 5, plannedMs: 0, waitedMs: 0, queuedMs: 5 }],
  ['planned late', run(3000, 3020), { totalMs: 3020, plannedMs: 3000, waitedMs: 0, queuedMs: 20 }],
  ['waited for its key', run(-9000, 60_010, 10), { totalMs: 60_010, plannedMs: 0, waitedMs: 60_000, queuedMs: 10 }],
  ['all of it', run(1000, 9000, 1500), { totalMs: 9000, plannedMs: 1000, waitedMs: 7500, queuedMs: 500 }],
])('%s', (_, given, expected) => expect(partsOfLateness(given)).toEqual(expected));

test.each([
  ['has not begun', { ...run(0, 0), startedAt: null }],
  ['was tried again', { ...run(0, 10), attempt: 2 }],
  ['is due later than it began', run(-20, -10)],
])('of a run that %s nothing is said', (_, given) => expect(partsOfLateness(given)).toBeNull());

test('the parts are no less than nothing, and add up', () => {
  const ms = fc.integer({ min: -100_000, max: 100_000 });
  fc.assert(
    fc.property(ms, fc.nat({ max: 100_000 }), fc.option(ms), (created, started, waiting) => {
      const late = partsOfLateness(run(created, started, waiting));
      if (!late) return;
      const { totalMs, ...parts } = late;
      expect(Object.values(parts).every((part) => part >= 0)).toBe(true);
      expect(parts.plannedMs + parts.waitedMs + parts.queuedMs).toBe(totalMs);
    }),
  );
});
