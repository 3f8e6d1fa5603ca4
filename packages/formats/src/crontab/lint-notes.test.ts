import { parseSchedule } from '@escapement/core/schedule';
import { expect, test } from 'vitest';
import { hitByClockChange, lintNotes } from './lint-notes.ts';

const NOW = new Date('2026-01-01T00:00:00Z');

const line = (expression: string) =>
  parseSchedule({ kind: 'cron', expression, dialect: 'vixie', timeZone: 'Europe/Berlin' });

test.each([
  ['0 9 1-7 * 1', /^this is not the first Monday of the month: .*, as in cron$/],
  ['0 9 1,15 * 1', /^both day fields are set: a day that matches one of them is enough, as in cron$/],
  ['*/7 * * * *', /^every 7 minutes starts anew each hour/],
  ['*/60 * * * *', /matches minute 0 only$/],
  ['0 0 31 * *', /^months without a day 31 are left out$/],
])('%s has a note', (expression, note) => {
  expect(lintNotes(line(expression), NOW)).toEqual([expect.stringMatching(note)]);
});

test.each(['0 9 * * 1', '*/5 * * * *', '30 2 * * *', '0 0 1 * *'])('%s has none', (expression) => {
  expect(lintNotes(line(expression), NOW)).toEqual([]);
});

test('a line at a time that a change of the clock leaves out or repeats is known', () => {
  expect(hitByClockChange(line('30 2 * * *'), NOW)).toBe(true);
  expect(hitByClockChange(line('30 4 * * *'), NOW)).toBe(false);
});
