import { describe, expect, it } from 'vitest';
import { counts, type Exclusion, type RruleRow, rrules, split } from '../../test/corpora/load.ts';
import { firesBetween } from './next-fire.ts';
import { parseSchedule } from './parse.ts';
import type { RruleSpec } from './spec.ts';

const EXCLUSIONS: readonly Exclusion<RruleRow>[] = [
  {
    reason: 'EXRULE was taken out of the standard',
    applies: ({ ical }) => ical?.some((line) => line.startsWith('EXRULE')) ?? false,
  },
  { reason: 'a calendar file in one line, not a rule', applies: ({ ical }) => ical !== undefined },
  { reason: 'libical and dateutil do not agree', applies: ({ agrees }) => agrees?.dateutil === false },
];

const { tests, excluded } = split(rrules, EXCLUSIONS);

const dateTime = (text = ''): string => (text.includes('T') ? text.replace(/Z$/, '') : `${text}T00:00:00`);

function specOf({ rule = '', dtstart, tz }: RruleRow): RruleSpec {
  return { kind: 'rrule', rule, dtStart: dateTime(dtstart), timeZone: tz ?? 'UTC' };
}

function expectFires(row: RruleRow): void {
  const expected = row.expectInstants ?? (row.expect ?? []).map((local) => `${dateTime(local)}Z`);
  if (expected.length === 0) {
    expect(() => parseSchedule(specOf(row))).toThrow(expect.objectContaining({ code: 'rrule_never' }));
    return;
  }
  const limit = expected.length + (row.complete ? 1 : 0);
  const fires = firesBetween(parseSchedule(specOf(row)), new Date('1900-01-01'), new Date('9999-12-31'), limit);
  expect(fires.map((fire) => fire.toISOString().replace('.000Z', 'Z'))).toEqual(expected);
}

describe('recurrence rules of dateutil and libical', () => {
  it.each(tests.map((row) => [row.id, row.rule, row] as const))('%s %s', (...[, , row]) => expectFires(row));

  it('are all tests, but for those with a reason', () => {
    expect(tests.length + excluded.length).toBe(rrules.length);
    expect(counts(excluded)).toEqual({
      'EXRULE was taken out of the standard': 2,
      'a calendar file in one line, not a rule': 1,
    });
  });
});
