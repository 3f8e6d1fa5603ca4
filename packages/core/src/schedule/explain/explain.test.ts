import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../parse.ts';
import type { ScheduleSpec } from '../spec.ts';
import { explainSchedule } from './explain.ts';

const explain = (spec: ScheduleSpec): string => explainSchedule(parseSchedule(spec));

describe('a schedule in full sentences', () => {
  it('names the clock, and what happens when it changes', () => {
    expect(explain({ kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Berlin' })).toBe(
      'At 02:30 every day, on the clock of Europe/Berlin. When the clock changes, a local time that does not exist fires ' +
        'at the first instant after the gap, and one that comes twice fires the first time.',
    );
    expect(explain({ kind: 'cron', expression: '*/15 * * * *', timeZone: 'Europe/Berlin' })).toBe(
      'Every 15 minutes, on the clock of Europe/Berlin. It follows elapsed time when the clock changes: local times that ' +
        'do not exist are left out, those that come twice fire both times.',
    );
  });

  it('leaves that out where the clock never changes', () => {
    expect(explain({ kind: 'cron', expression: '30 2 * * *', timeZone: 'Asia/Kolkata' })).toBe(
      'At 02:30 every day, on the clock of Asia/Kolkata.',
    );
  });

  it('says bounds and jitter', () => {
    expect(
      explain({
        kind: 'every',
        everyMs: 60_000,
        startAt: '2026-01-01T00:00:00Z',
        endAt: '2027-01-01T00:00:00Z',
        jitterMs: 5000,
      }),
    ).toBe(
      'Every minute. Not before 2026-01-01T00:00:00Z. Not after 2027-01-01T00:00:00Z. ' +
        'Each run is delayed by less than 5 seconds, always the same for the same occurrence.',
    );
  });

  it.each([
    [
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=10',
      'Every 2 weeks on Monday or Friday, from 2026-01-05T09:00:00, 10 times',
    ],
    ['FREQ=MONTHLY;BYDAY=-1FR', 'Every month on the last Friday of the month, from 2026-01-05T09:00:00'],
    [
      'FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR',
      'Every month on day 13 of the month if that is Friday, from 2026-01-05T09:00:00',
    ],
    [
      'FREQ=YEARLY;BYMONTH=6,7;BYMONTHDAY=1,-1',
      'Every year in June and July on day the last and 1 of the month, from 2026-01-05T09:00:00',
    ],
    [
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
      'Every month on Monday, Tuesday, Wednesday, Thursday or Friday, of these the last of each month, from 2026-01-05T09:00:00',
    ],
    [
      'FREQ=DAILY;BYHOUR=9,10,11;UNTIL=20261231',
      'Every day in the hours 09 to 11, from 2026-01-05T09:00:00, until 20261231',
    ],
  ])('%s', (rule, expected) => {
    const text = explain({ kind: 'rrule', rule, dtStart: '2026-01-05T09:00:00', timeZone: 'UTC' });
    expect(text.split(', on the clock of UTC.')[0]).toBe(expected);
  });
});
