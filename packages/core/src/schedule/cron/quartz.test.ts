import { describe, expect, it } from 'vitest';
import { firesBetween } from '../next-fire.ts';
import { parseSchedule } from '../parse.ts';

function fires(expression: string, from: string, count = 3): string[] {
  const schedule = parseSchedule({ kind: 'cron', expression, dialect: 'quartz', timeZone: 'UTC' });
  return firesBetween(schedule, new Date(from), new Date('2099-12-31'), count).map((date) =>
    date.toISOString().slice(0, 19),
  );
}

describe('the Quartz dialect', () => {
  it('numbers the week from 1 = Sunday', () => {
    expect(fires('0 0 0 ? * 1', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-04T00:00:00']);
    expect(fires('0 0 0 ? * 7', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-03T00:00:00']);
    expect(fires('0 0 0 ? * L', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-03T00:00:00']);
    expect(fires('0 0 0 ? * 5L', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-29T00:00:00']);
    expect(fires('0 0 0 ? * 6#3', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-16T00:00:00']);
    expect(fires('0 0 23 ? * MON-FRI', '2026-01-02T00:00:00Z', 2)).toEqual([
      '2026-01-02T23:00:00',
      '2026-01-05T23:00:00',
    ]);
  });

  it('takes a year with lists, ranges and steps', () => {
    expect(fires('0 0 0 1 1 ? 2027,2030-2032', '2026-06-01T00:00:00Z', 9)).toHaveLength(4);
    expect(fires('0 0 0 1 1 ? 2026/10', '2026-06-01T00:00:00Z', 9).map((at) => at.slice(0, 4))).toEqual([
      '2036',
      '2046',
      '2056',
      '2066',
      '2076',
      '2086',
      '2096',
    ]);
  });

  it('takes six fields that begin with the minute and end with a year', () => {
    expect(fires('2-59/3 1,9,22 11-26 1-6 ? 2003', '2003-01-01T00:00:00Z', 2)).toEqual([
      '2003-01-11T01:02:00',
      '2003-01-11T01:05:00',
    ]);
    expect(fires('2-59/3 1,9,22 11-26 1-6 ? 2003', '2003-06-26T22:59:00Z')).toEqual([]);
  });

  it('reads /5 as 0/5, and ranges that wrap around', () => {
    expect(fires('/20 * * ? * *', '2026-01-01T00:00:00Z', 2)).toEqual(['2026-01-01T00:00:20', '2026-01-01T00:00:40']);
    expect(fires('0 0 22-2/2 * * ?', '2026-01-01T12:00:00Z')).toEqual([
      '2026-01-01T22:00:00',
      '2026-01-02T00:00:00',
      '2026-01-02T02:00:00',
    ]);
  });
});
