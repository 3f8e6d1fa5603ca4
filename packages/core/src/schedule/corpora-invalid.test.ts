import { describe, expect, it } from 'vitest';
import { counts, cronInvalid, type Exclusion, type InvalidRow, quartzReal, split } from '../../test/corpora/load.ts';
import { ScheduleError } from './error.ts';
import { parseSchedule } from './parse.ts';
import type { Schedule } from './schedule.ts';

const expr = ({ expr: text }: InvalidRow): string => text ?? '';
const unix = ({ dialect }: InvalidRow): boolean => dialect !== 'quartz';

const EXCLUSIONS: readonly Exclusion<InvalidRow>[] = [
  { reason: 'not a cron expression', applies: (row) => row.expr === null || row.dialect === 'graphile-crontab-line' },
  { reason: 'refused because of an option that we do not have', applies: (row) => row.options !== undefined },
  {
    reason: 'a step beyond the field is found in real crontabs',
    applies: (row) => unix(row) && /\/(60|32|13)\b/.test(expr(row)),
  },
  {
    reason: 'special days may stand in lists, as in Spring and Quartz',
    applies: (row) => unix(row) && /^(?=.*,).*(\dW|#4)/.test(expr(row)),
  },
  { reason: 'a list may say a value twice', applies: (row) => unix(row) && /(\b0,0\b|0,7|7,0)/.test(expr(row)) },
  { reason: 'a range may wrap around', applies: (row) => unix(row) && /\b(30-20|17-9)\b/.test(expr(row)) },
  { reason: 'names may be written small', applies: (row) => row.dialect === 'oban' && /jan/.test(expr(row)) },
  { reason: '7 is Sunday', applies: (row) => row.dialect === 'oban' && /0-7/.test(expr(row)) },
  { reason: 'the seconds are optional', applies: (row) => row.dialect === 'spring' && expr(row) === '* * * * *' },
  {
    reason: 'a/b means from a in steps of b',
    applies: (row) => row.dialect === 'croner' && /(^| )\d+\/\d+( |$)/.test(expr(row)),
  },
];

const { tests, excluded } = split(cronInvalid, EXCLUSIONS);

const parse = (expression: string, quartz: boolean): Schedule =>
  parseSchedule({ kind: 'cron', expression, dialect: quartz ? 'quartz' : 'unix', timeZone: 'UTC' });

describe('what other projects refuse', () => {
  it.each(tests.map((row) => [row.id, row.dialect, expr(row), row] as const))('%s %s: %s', (...[, , text, row]) => {
    expect(() => parse(text, !unix(row))).toThrow(ScheduleError);
  });

  it('is refused here too, but for what has a reason', () => {
    expect(tests.length + excluded.length).toBe(cronInvalid.length);
    expect(counts(excluded)).toEqual({
      '7 is Sunday': 1,
      'a list may say a value twice': 8,
      'a range may wrap around': 2,
      'a step beyond the field is found in real crontabs': 3,
      'a/b means from a in steps of b': 2,
      'names may be written small': 1,
      'not a cron expression': 12,
      'refused because of an option that we do not have': 2,
      'special days may stand in lists, as in Spring and Quartz': 2,
      'the seconds are optional': 1,
    });
  });
});

describe('Quartz expressions of real applications', () => {
  // `* *` in the day fields: Quartz refuses it, whatever the repository says.
  const refused = quartzReal.filter(({ expr: text }) => !text.includes('?'));

  it.each(quartzReal.filter((row) => !refused.includes(row)).map((row) => [row.expr] as const))(
    '%s is read',
    (text) => {
      expect(parse(text, true).kind).toBe('cron');
    },
  );

  it('are refused only where neither day field is ?', () => {
    expect(refused.map((row) => row.expr)).toEqual(['*/10 * * * * *']);
    for (const { expr: text } of refused) expect(() => parse(text, true)).toThrow(ScheduleError);
  });
});
