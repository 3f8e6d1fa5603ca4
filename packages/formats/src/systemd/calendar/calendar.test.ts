import { readFileSync } from 'node:fs';
import { EscapementError } from '@escapement/core';
import { nextFire, parseSchedule } from '@escapement/core/schedule';
import { expect, test } from 'vitest';
import { cronOf } from './to-cron.ts';

interface Recorded {
  expression: string;
  refused?: boolean;
  fires?: string[];
}

/** What systemd says: `node scripts/record-on-calendar.mjs` makes it anew. */
const { from, cases }: { from: string; cases: Recorded[] } = JSON.parse(
  readFileSync(new URL('../../../test/corpora/on-calendar.json', import.meta.url), 'utf8'),
);

function firesOf(expression: string, count: number): string[] {
  const [spec, more] = cronOf([expression], 'UTC');
  if (!spec || more) throw new Error(`${expression} became several`);
  const schedule = parseSchedule(spec);
  const fires: string[] = [];
  for (let at = nextFire(schedule, new Date(from)); at && fires.length < count; at = nextFire(schedule, at))
    fires.push(at.toISOString().replace('.000', ''));
  return fires;
}

test.each(cases.filter(({ fires }) => fires?.length))('systemd and Escapement agree about $expression', (each) => {
  expect(firesOf(each.expression, each.fires?.length ?? 0)).toEqual(each.fires);
});

test.each(cases.filter(({ refused }) => refused))('what systemd refuses is refused: $expression', ({ expression }) => {
  expect(() => firesOf(expression, 1)).toThrow(EscapementError);
});

test.each([
  ['Mon..Fri *-*-* 10:00', '0 10 * * MON-FRI'],
  ['*:0/15', '*/15 * * * *'],
  ['*-*~1 18:00', '0 18 L * *'],
  ['2027-*-* 04:30:10', '10 30 4 * * * 2027'],
  ['daily', '0 0 * * *'],
])('%s is written as %s', (text, expression) => {
  expect(cronOf([text], 'Europe/Berlin')).toEqual([{ kind: 'cron', expression, timeZone: 'Europe/Berlin' }]);
});

test('lines that differ in one field are one schedule; others stay apart', () => {
  expect(
    cronOf(['Mon 10:00', 'Tue 10:00', '*-*-* 12:30', 'Thu 10:00'], 'UTC').map(({ expression }) => expression),
  ).toEqual(['0 10 * * MON,TUE,THU', '30 12 * * *']);
});

test.each([
  ['*:*:0.5', /whole seconds/],
  ['2150-01-01', /after the year 2099/],
  ['@1900000000', /kind "once"/],
  ['tea time', /cannot be read at "tea"/],
])('%s cannot be said, with the reason', (text, reason) => {
  expect(() => cronOf([text], 'UTC')).toThrow(EscapementError);
  try {
    cronOf([text], 'UTC');
  } catch (error) {
    expect(error instanceof EscapementError && `${error.message}: ${error.fix}`).toMatch(reason);
  }
});
