import { DAY } from '@escapement/core';
import { firesBetween, occurrencesOf, parseSchedule, type ScheduleSpec } from '@escapement/core/schedule';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextInstants, type Range } from './instants.ts';

const FROM = new Date('2026-03-01T00:00:00Z');

/** All of a range, a few at a time. */
function walk(spec: ScheduleSpec, reverse: boolean, days: number, step: number): number[] {
  const occurrences = occurrencesOf(parseSchedule(spec));
  const range: Range = { fromAt: FROM, toAt: new Date(FROM.getTime() + days * DAY), reverse, cursorAt: null };
  const found: number[] = [];
  for (;;) {
    const instants = nextInstants(occurrences, range, step);
    found.push(...instants.map((at) => at.getTime()));
    range.cursorAt = instants.at(-1) ?? null;
    if (instants.length < step) return found;
  }
}

const specs: ScheduleSpec[] = [
  { kind: 'cron', expression: '0 0 29 2 *', timeZone: 'UTC' },
  { kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Berlin' },
  { kind: 'cron', expression: '*/13 * * * *', timeZone: 'UTC' },
  { kind: 'every', everyMs: 90_000 },
];

test('a range is gone through completely, either way, however small the steps (property)', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...specs),
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 500 }),
      (spec, days, step) => {
        const to = new Date(FROM.getTime() + days * DAY);
        const all = firesBetween(parseSchedule(spec), new Date(FROM.getTime() - 1), to, 100_000).map((at) =>
          at.getTime(),
        );
        expect(walk(spec, false, days, step)).toEqual(all);
        expect(walk(spec, true, days, step)).toEqual(all.reverse());
      },
    ),
    { numRuns: 40 },
  );
});

test('both ends belong to the range', () => {
  const daily = occurrencesOf(parseSchedule({ kind: 'every', everyMs: DAY }));
  const range = { fromAt: FROM, toAt: new Date(FROM.getTime() + DAY), cursorAt: null };
  expect(nextInstants(daily, { ...range, reverse: false }, 9)).toHaveLength(2);
  expect(nextInstants(daily, { ...range, reverse: true }, 9)).toHaveLength(2);
});
