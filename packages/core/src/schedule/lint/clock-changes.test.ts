import { describe, expect, test } from 'vitest';
import { parseSchedule } from '../parse.ts';
import type { ScheduleSpec } from '../spec.ts';
import { clockChangesAhead } from './clock-changes.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const ahead = (spec: ScheduleSpec) => clockChangesAhead(parseSchedule(spec), NOW, 2)?.map(({ message }) => message);
const berlin = (expression: string, dst = {}): ScheduleSpec => ({
  kind: 'cron',
  expression,
  timeZone: 'Europe/Berlin',
  dst,
});

describe('the next two changes of the clock are told', () => {
  test('with what happens to a fire that they hit', () => {
    expect(ahead(berlin('30 2 * * *'))).toEqual([
      '2026-03-29: the local time 02:30 does not exist in Europe/Berlin; it fires at the first instant after the gap',
      '2026-10-25: the local time 02:30 comes twice in Europe/Berlin; it fires the first time',
    ]);
  });

  test('where they hit none', () => {
    expect(ahead(berlin('0 9 * * *'))).toEqual([
      '2026-03-29: the clock of Europe/Berlin goes from 02:00 to 03:00; it hits none of its fires',
      '2026-10-25: the clock of Europe/Berlin goes from 03:00 to 02:00; it hits none of its fires',
    ]);
  });

  test('to an interval that goes on, and to one that does as it was told', () => {
    expect(ahead(berlin('*/15 * * * *'))).toEqual([
      '2026-03-29: the clock of Europe/Berlin goes from 02:00 to 03:00; it goes on as time does',
      '2026-10-25: the clock of Europe/Berlin goes from 03:00 to 02:00; it goes on as time does',
    ]);
    expect(ahead(berlin('*/15 * * * *', { overlap: 'first' }))?.[1]).toContain('it fires the first time');
  });

  test('of rules as RFC 5545 has it', () => {
    const rule = {
      kind: 'rrule',
      rule: 'FREQ=DAILY',
      dtStart: '2026-01-01T02:30:00',
      timeZone: 'Europe/Berlin',
    } as const;
    expect(ahead(rule)?.[0]).toContain('it fires later, by the length of the gap');
  });

  test('none where there are none, and nothing of what goes by no clock', () => {
    expect(ahead({ ...berlin('30 2 * * *'), timeZone: 'Asia/Kolkata' } as ScheduleSpec)).toEqual([]);
    expect(ahead({ kind: 'every', everyMs: 60_000 })).toBeUndefined();
  });
});
