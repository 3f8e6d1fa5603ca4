import { describe, expect, it } from 'vitest';
import { lintSchedule } from './lint/lint.ts';
import { nextFire } from './next-fire.ts';
import { parseSchedule } from './parse.ts';
import type { ScheduleSpec } from './spec.ts';

const long = (member: string): string =>
  Array.from({ length: Math.floor(1000 / (member.length + 1)) }, () => member).join(',');

const CRON = [
  `${long('*')} * * * *`,
  `${long('*/1')} * * * *`,
  `${long('59-58')} * * * *`,
  `0 0 ${long('L-3W')} * *`,
  `0 0 * * ${long('MON#5')}`,
  `* * 29 2 1#5`,
  '0 0 29 2 1',
  '0 0 31 2,4,6,9,11 *',
  '0 0 L-30W * 5L',
  `${'*/'.repeat(500)}`,
  `${'9'.repeat(1000)} * * * *`,
  `0-${'9'.repeat(500)}/1 * * * *`,
  ` ${'\t '.repeat(500)}* * * * *`,
  `@${'y'.repeat(1000)}`,
  `${'a'.repeat(1000)} * * * *`,
];

const RRULES = [
  'FREQ=SECONDLY',
  'FREQ=SECONDLY;COUNT=10000',
  'FREQ=SECONDLY;INTERVAL=2;BYSECOND=1',
  'FREQ=SECONDLY;INTERVAL=86400;BYHOUR=3',
  'FREQ=SECONDLY;INTERVAL=99999999;BYMONTH=2;BYMONTHDAY=29',
  'FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYHOUR=3;BYSETPOS=-1',
  'FREQ=HOURLY;BYSETPOS=61;BYMINUTE=1,2',
  'FREQ=DAILY;COUNT=10000;BYYEARDAY=366;BYDAY=MO',
  'FREQ=DAILY;BYWEEKNO=53;BYMONTHDAY=13',
  'FREQ=DAILY;INTERVAL=100000000',
  'FREQ=MONTHLY;COUNT=10000',
  'FREQ=YEARLY;COUNT=10000',
  'FREQ=YEARLY;BYYEARDAY=366;BYDAY=MO;BYSETPOS=2',
  'FREQ=YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29',
  `FREQ=YEARLY;BYYEARDAY=${Array.from({ length: 200 }, (_, n) => n + 1)}`,
];

/** CPU time, as others may be busy: the least of three tries, each with a spec that was not parsed before. */
function cpuMs(spec: (turn: number) => ScheduleSpec): number {
  const times = [1, 2, 3].map((turn) => {
    const before = process.cpuUsage();
    try {
      const schedule = parseSchedule(spec(turn));
      nextFire(schedule, new Date('2026-01-01T00:00:00Z'));
      lintSchedule(schedule, new Date('2026-01-01T00:00:00Z'));
    } catch {
      // Refused; also that has to be quick.
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

describe('no input takes longer than 50 ms', () => {
  it.each(CRON.map((expression) => [expression.slice(0, 60), expression] as const))('cron %s', (_, expression) => {
    const dayMatch = ['or', 'and'] as const;
    const spec = (turn: number): ScheduleSpec => ({
      kind: 'cron',
      expression,
      timeZone: 'America/New_York',
      dayMatch: dayMatch[turn % 2] ?? 'or',
      jitterMs: turn,
    });
    expect(cpuMs(spec)).toBeLessThan(50);
  });

  it.each(RRULES.map((rule) => [rule.slice(0, 80), rule] as const))('rrule %s', (_, rule) => {
    const spec = (turn: number): ScheduleSpec => ({
      kind: 'rrule',
      rule,
      dtStart: `1990-01-0${turn}T00:00:00`,
      timeZone: 'Europe/Berlin',
    });
    expect(cpuMs(spec)).toBeLessThan(50);
  });
});
