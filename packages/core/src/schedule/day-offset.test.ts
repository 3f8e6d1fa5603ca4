import { describe, expect, it, test } from 'vitest';
import { firesBetween } from './next-fire.ts';
import { oracleFires } from './oracle/fires.ts';
import { parseSchedule } from './parse.ts';
import type { CronSpec } from './spec.ts';

function fires(expression: string, choices: Partial<CronSpec>, count = 3): string[] {
  const schedule = parseSchedule({ kind: 'cron', expression, timeZone: 'UTC', ...choices });
  return firesBetween(schedule, new Date('2026-01-01T00:00:00Z'), new Date('2040-01-01T00:00:00Z'), count).map((date) =>
    date.toISOString().slice(0, 16),
  );
}

describe('days that are moved', () => {
  it('the day before the first Saturday, also where that is in the month before', () => {
    expect(fires('0 9 * * SAT#1', { dayOffset: -1 }, 5)).toEqual([
      '2026-01-02T09:00',
      '2026-02-06T09:00',
      '2026-03-06T09:00',
      '2026-04-03T09:00',
      '2026-05-01T09:00',
    ]);
    expect(fires('0 9 1 * *', { dayOffset: -1 })).toEqual(['2026-01-31T09:00', '2026-02-28T09:00', '2026-03-31T09:00']);
  });

  it('two working days before the last one of the month, over a weekend', () => {
    expect(fires('0 18 LW * *', { workingDayOffset: -2 }, 4)).toEqual([
      '2026-01-28T18:00',
      '2026-02-25T18:00',
      '2026-03-27T18:00',
      '2026-04-28T18:00',
    ]);
  });

  it('from a Saturday and a Sunday to the same working day is one fire', () => {
    expect(fires('0 9 * * SAT,SUN', { workingDayOffset: 1 }, 2)).toEqual(['2026-01-05T09:00', '2026-01-12T09:00']);
    expect(fires('0 9 * * SAT,SUN', { workingDayOffset: -1 }, 2)).toEqual(['2026-01-02T09:00', '2026-01-09T09:00']);
  });

  it('out of the year of the expression', () => {
    expect(fires('0 0 0 1 1 * 2027', { dayOffset: -1 })).toEqual(['2026-12-31T00:00']);
  });
});

test.each([
  ['0 0 0 1 1 * 1970-2099/3', '1970-01-01T12:00:00Z'],
  ['0 0 0 31 12 * 1970-2099', '2099-12-25T00:00:00Z'],
])('the first and the last year do not go round: %s from %s', (expression, from) => {
  for (const dayOffset of [-31, -3, 3, 31]) {
    const spec: CronSpec = { kind: 'cron', expression, timeZone: 'UTC', dayOffset };
    const [start, end] = [new Date(from), new Date(Date.parse(from) + 90 * 86_400_000)];
    expect(firesBetween(parseSchedule(spec), start, end)).toEqual(oracleFires(spec, start, end));
  }
});

describe('both day fields, by +', () => {
  it('the first Monday of the month', () => {
    expect(fires('0 9 1-7 * +MON', {})).toEqual(fires('0 9 * * MON#1', {}));
  });

  it('H in it is spread', () => {
    expect(fires('0 9 * * +H', {}, 1)).toEqual(fires('0 9 * * H', {}, 1));
  });
});

describe('seven fields in the unix dialect', () => {
  it('are second to year', () => {
    expect(fires('30 0 9 1 1,7 * 2027-2028', {}, 9)).toEqual([
      '2027-01-01T09:00',
      '2027-07-01T09:00',
      '2028-01-01T09:00',
      '2028-07-01T09:00',
    ]);
  });
});
