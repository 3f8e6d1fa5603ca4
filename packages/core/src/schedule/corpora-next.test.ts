import { describe, expect, it } from 'vitest';
import { counts, cronNext, type Exclusion, type NextRow, split } from '../../test/corpora/load.ts';
import { readCron } from './cron/read.ts';
import { ScheduleError } from './error.ts';
import { firesBetween, nextFire } from './next-fire.ts';
import { parseSchedule } from './parse.ts';
import type { Schedule } from './schedule.ts';
import type { CronSpec } from './spec.ts';

const EXCLUSIONS: readonly Exclusion<NextRow>[] = [
  { reason: 'the source itself calls it a bug', applies: ({ tags }) => tags?.includes('known-bug') ?? false },
  { reason: 'H is spread by each project its own way', applies: ({ tags }) => tags?.includes('hash') ?? false },
  {
    reason: 'cron-parser shifts by one hour also where the gap has two',
    applies: ({ tz, expr }) => tz === 'Antarctica/Troll' && expr.startsWith('30 2'),
  },
  {
    reason: 'an interval of milliseconds, not a cron expression',
    applies: ({ dialect }) => dialect === 'quartz-simple',
  },
  { reason: 'Spring: "-" switches a task off; here a task is paused', applies: ({ expr }) => expr === '-' },
  {
    reason: 'cron-parser pads short expressions; we ask for 5 fields',
    applies: ({ tags }) => tags?.includes('short-form') ?? false,
  },
  { reason: '@every_minute is not a macro of cron', applies: ({ expr }) => expr.startsWith('@every') },
  { reason: '? stands in day fields only', applies: ({ expr }) => /^\?/.test(expr) },
  {
    reason: 'a random value per parse would not be the same on two schedulers',
    applies: ({ expr }) => expr.includes('~'),
  },
];

const { tests, excluded } = split(cronNext, EXCLUSIONS);

/** The rule of each project for the two day fields and for changes of the clock, said in our terms (disagreements.md, 1 to 3). */
function specOf({ dialect, expr, tz }: NextRow, expression = expr): CronSpec {
  const spec: CronSpec = { kind: 'cron', expression, timeZone: tz };
  if (dialect.startsWith('cronos')) return { ...spec, dayMatch: 'and', dst: { gap: 'next-valid' } };
  if (dialect.includes('spring')) return { ...spec, dayMatch: 'and', dst: { gap: 'skip', overlap: 'both' } };
  if (dialect.includes('quartz')) return { ...spec, dialect: 'quartz' };
  if (dialect === 'cronie') return { ...spec, dialect: 'vixie' };
  if (dialect === 'cron-parser') {
    const everyHour = expr.split(' ').at(-4) === '*';
    return { ...spec, dst: { gap: 'shift', overlap: everyHour ? 'both' : 'first' } };
  }
  return spec;
}

const FAR = new Date('2200-01-01');
const iso = (dates: readonly Date[]): string[] => dates.map((date) => `${date.toISOString().slice(0, 19)}Z`);
const before = (instant: string | Date): Date => new Date(new Date(instant).getTime() - 1);

function check(row: NextRow): void {
  if (row.kind === 'next' && row.next === null) return neverFires(row);
  const schedule = parseSchedule(specOf(row));
  switch (row.kind) {
    case 'next':
      return expect(iso(firstFires(schedule, row))).toEqual(row.next);
    case 'prev':
      return expectPrevious(schedule, row);
    case 'match':
      return expect(nextFire(schedule, before(row.from ?? ''))).toEqual(new Date(row.from ?? ''));
    case 'no-match':
      return expect(nextFire(schedule, before(row.from ?? ''))).not.toEqual(new Date(row.from ?? ''));
    case 'equivalent': {
      const same = parseSchedule(specOf(row, row.equals));
      const from = new Date('2026-01-01');
      return expect(firesBetween(schedule, from, FAR, 20)).toEqual(firesBetween(same, from, FAR, 20));
    }
    case 'fields':
      return expectFields(row);
    case 'valid':
      return expect(schedule.kind).toBe('cron');
  }
}

function firstFires(schedule: Schedule, { from, inclusive, next }: NextRow): Date[] {
  const start = new Date(from ?? '');
  return firesBetween(schedule, inclusive ? before(start) : start, FAR, next?.length ?? 1);
}

function expectPrevious(schedule: Schedule, { from, next }: NextRow): void {
  const previous = new Date(next?.[0] ?? '');
  expect(nextFire(schedule, before(previous))).toEqual(previous);
  expect(nextFire(schedule, previous)?.getTime()).toBeGreaterThanOrEqual(Date.parse(from ?? ''));
}

function expectFields({ expr, fields }: NextRow): void {
  const read = readCron(expr, 'unix').fields;
  const found = {
    minutes: read.minute,
    hours: read.hour,
    dates: read.dayOfMonth,
    months: read.month,
    dows: read.dayOfWeek,
  };
  for (const [name, values] of Object.entries(fields ?? {}))
    expect(found[name as keyof typeof found].values).toEqual(values);
}

/** Others wait for ever for a date that never comes; we refuse it when it is saved. */
function neverFires(row: NextRow): void {
  const parse = (): Schedule => parseSchedule(specOf(row));
  expect(parse).toThrow(ScheduleError);
  expect(parse).toThrow(expect.objectContaining({ code: 'cron_never' }));
}

describe("other projects' answers", () => {
  it.each(tests.map((row) => [row.id, `${row.dialect} ${row.kind}`, row.expr, row] as const))(
    '%s %s: %s',
    (...[, , , row]) => check(row),
  );

  it('are all tests, but for those with a reason', () => {
    expect(tests.length + excluded.length).toBe(cronNext.length);
    expect(counts(excluded)).toEqual({
      '? stands in day fields only': 1,
      '@every_minute is not a macro of cron': 1,
      'H is spread by each project its own way': 6,
      'Spring: "-" switches a task off; here a task is paused': 1,
      'a random value per parse would not be the same on two schedulers': 1,
      'an interval of milliseconds, not a cron expression': 1,
      'cron-parser pads short expressions; we ask for 5 fields': 1,
      'cron-parser shifts by one hour also where the gap has two': 1,
      'the source itself calls it a bug': 1,
    });
  });
});
