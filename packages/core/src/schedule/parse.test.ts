import { describe, expect, it } from 'vitest';
import { ScheduleError } from './error.ts';
import { parseSchedule } from './parse.ts';
import type { CronSpec, ScheduleSpec } from './spec.ts';

function refusal(spec: ScheduleSpec): ScheduleError {
  try {
    parseSchedule(spec);
  } catch (error) {
    if (error instanceof ScheduleError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(spec)} was not refused`);
}

const cron = (expression: string, dialect: CronSpec['dialect'] = 'unix'): CronSpec => ({
  kind: 'cron',
  expression,
  dialect,
  timeZone: 'UTC',
});

describe('a schedule that cannot be', () => {
  it.each([
    ['61 * * * *', 'cron_value', '61', 'minute: 0-59'],
    ['0 24 * * *', 'cron_value', '24', 'hour: 0-23'],
    ['0 0 0 * *', 'cron_value', '0', 'day of month: 1-31'],
    ['0 0 * * 8', 'cron_value', '8', 'day of week: 0-7 or SUN-SAT'],
    ['0 0 * JANU *', 'cron_value', 'JANU', 'did you mean JAN? month: 1-12 or JAN-DEC'],
    ['0 0 * * MON-TUR', 'cron_value', 'MON-TUR', 'did you mean TUE? day of week: 0-7 or SUN-SAT'],
    ['0 0 L-31 * *', 'cron_value', 'L-31', 'days before the last: 0 to 30'],
    ['*/0 * * * *', 'cron_step', '*/0', 'a step of 1 or more'],
    ['5--5 * * * *', 'cron_syntax', '5--5', 'minute: 0-59, *, a-b, a-b/step, */step, H, and lists of these'],
    ['1,,2 * * * *', 'cron_syntax', '', 'minute: 0-59, *, a-b, a-b/step, */step, H, and lists of these'],
    ['0 0 31 2 *', 'cron_never', '31 2 *', 'a date that exists: month 2 has at most 29 days'],
    ['0 0 31 4,6 *', 'cron_never', '31 4,6 *', 'a date that exists: month 4,6 has at most 30 days'],
    [
      '@dayly',
      'cron_macro',
      '@dayly',
      'did you mean @daily? @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly, @minutely',
    ],
    ['@reboot', 'cron_macro', '@reboot', '@reboot names no instant; the crontab import knows it'],
    ['0 0 1 1 * * H', 'cron_value', 'H', 'year: 1970-2099'],
    ['0 0 * * * * 5', 'cron_value', '5', 'year: 1970-2099'],
    [
      '0 0 1-7 * 1+2',
      'cron_syntax',
      '1+2',
      'day of week: 0-7 or SUN-SAT, *, a-b, a-b/step, */step, H, 5L, 1#3, and lists of these',
    ],
    [
      '0 0 +1 * *',
      'cron_syntax',
      '+1',
      'day of month: 1-31, *, a-b, a-b/step, */step, H, L, L-3, LW, 15W, and lists of these',
    ],
    ['@every 5m', 'cron_macro', '@every 5m', 'an interval is a schedule of kind "every"'],
  ])('%s: %s', (expression, code, part, allowed) => {
    expect(refusal(cron(expression))).toMatchObject({ code, part, allowed, fix: allowed });
  });

  it.each(['', '* * * *', '* * * * * * * *'])('"%s" has the wrong number of fields', (expression) => {
    expect(refusal(cron(expression)).code).toBe('cron_field_count');
  });

  it('has + and @minutely in the unix dialect only, and not against dayMatch', () => {
    expect(refusal(cron('0 0 1-7 * +MON', 'vixie')).code).toBe('cron_syntax');
    expect(refusal(cron('@minutely', 'vixie')).allowed).toContain('* * * * *');
    expect(refusal({ ...cron('0 0 1-7 * +MON'), dayMatch: 'or' })).toMatchObject({
      code: 'cron_day_match',
      part: '+MON',
    });
  });

  it('has one offset at most, within bounds', () => {
    expect(refusal({ ...cron('0 0 L * *'), dayOffset: -1, workingDayOffset: -1 }).code).toBe('day_offset');
    expect(refusal({ ...cron('0 0 L * *'), dayOffset: -32 })).toMatchObject({
      code: 'schedule_invalid',
      part: 'dayOffset',
    });
  });

  it('names the nearest zone', () => {
    const zone = (timeZone: string): string => refusal({ ...cron('* * * * *'), timeZone }).allowed;
    expect(zone('Europe/Berln')).toBe('did you mean Europe/Berlin?');
    expect(zone('America/Kolkata')).toBe('did you mean Asia/Kolkata?');
    expect(zone('new york')).toBe('did you mean America/New_York?');
    expect(zone('Kiev')).toBe('did you mean Europe/Kiev?');
    expect(zone('Kyiv')).toBe('did you mean Europe/Kyiv?');
    expect(zone('+02:00')).toContain('an IANA name');
    expect(zone('')).toContain('an IANA name');
  });

  it('names what is wrong with its shape', () => {
    expect(refusal({ kind: 'every', everyMs: 5 })).toMatchObject({ code: 'schedule_invalid', part: 'everyMs' });
    expect(refusal({ kind: 'every', everyMs: 5000, phaseMs: 5000 })).toMatchObject({
      code: 'every_phase',
      allowed: '0 to 4999',
    });
    expect(refusal({ kind: 'once', at: 'tomorrow' })).toMatchObject({ code: 'schedule_invalid', part: 'at' });
    expect(refusal({ kind: 'manual', startAt: '2026-01-02T00:00:00Z', endAt: '2026-01-01T00:00:00Z' }).code).toBe(
      'schedule_bounds',
    );
  });
});

it('the 30th day before the last of a month is in months of 31 days', () => {
  expect(() => parseSchedule(cron('0 0 L-30 * *'))).not.toThrow();
});

it.each(['55-5 * * * *', '0 0 * * 6-2'])('the unix dialect wraps %s around', (expression) => {
  expect(() => parseSchedule(cron(expression))).not.toThrow();
});

it('a step of nothing is one of all in the quartz dialect alone', () => {
  expect(() => parseSchedule(cron('0 /5 * * * ?', 'quartz'))).not.toThrow();
  expect(() => parseSchedule(cron('/5 * * * *', 'unix'))).toThrow(ScheduleError);
});

describe('what a dialect has instead of a field it cannot read', () => {
  it.each<[CronSpec['dialect'], string, string]>([
    ['unix', '5--5 * * * *', 'minute: 0-59, *, a-b, a-b/step, */step, H, and lists of these'],
    ['vixie', '5--5 * * * *', 'minute: 0-59, *, a-b, a-b/step, */step, and lists of these'],
    ['quartz', '0 5--5 * * * ?', 'minute: 0-59, *, a-b, a-b/step, */step, and lists of these'],
  ])('%s', (dialect, expression, allowed) => {
    expect(refusal(cron(expression, dialect)).allowed).toBe(allowed);
  });
});

describe('the vixie dialect', () => {
  it.each(['55-5 * * * *', '0 0 L * *', '0 0 * * 1#1', '0 0 ? * *', 'H * * * *', '0 0 0 * * *', '/5 * * * *'])(
    'does not know %s',
    (expression) => {
      expect(() => parseSchedule(cron(expression, 'vixie'))).toThrow(ScheduleError);
    },
  );
});

describe('equal specs', () => {
  it('share one parsed schedule', () => {
    expect(parseSchedule(cron('*/5 * * * *'))).toBe(parseSchedule(cron('*/5 * * * *')));
  });

  it('do not where H is spread by another name', () => {
    const minute = (seed: string): unknown => parseSchedule(cron('H * * * *'), { seed });
    expect(minute('backup')).toEqual(minute('backup'));
    expect(minute('backup')).not.toEqual(minute('mail'));
  });
});
