import { type AlertRule, alertingSpec } from '@escapement/core/alerts';
import { expect, test } from 'vitest';
import { NOT_STARTED_BY } from './not-started-by.ts';

const task = { id: 't', name: 'close', labels: {}, pool: 'default' };

function judge(now: string, started: string | null, given: { days?: number[]; createdAt?: string } = {}) {
  const { days, createdAt = '2026-01-01T00:00:00Z' } = given;
  const when = { kind: 'not-started-by', at: '06:00', timeZone: 'Europe/Vienna', ...(days ? { days } : {}) } as const;
  const [rule] = alertingSpec.parse({ rules: [{ name: 'by-six', when }] }).rules;
  const last = {
    taskId: 't',
    at: started === null ? null : new Date(started),
    createdAt: new Date(createdAt),
    shadowUntil: null,
    now: new Date(now),
  };
  const verdict = NOT_STARTED_BY.judge(rule as AlertRule, task, last);
  return 'said' in verdict ? verdict.said : new Date(verdict.untilMs).toISOString();
}

test.each([
  [
    'before the time it is looked at again then',
    '2027-01-04T04:59:59Z',
    '2027-01-03T05:00:00Z',
    '2027-01-04T05:00:00.000Z',
  ],
  ['it started since midnight', '2027-01-04T05:00:00Z', '2027-01-03T23:00:00Z', '2027-01-05T05:00:00.000Z'],
  [
    'by the clock of its zone, also in summer',
    '2027-07-05T04:00:00Z',
    '2027-07-04T22:00:00Z',
    '2027-07-06T04:00:00.000Z',
  ],
  ['it started late', '2027-01-04T09:00:00Z', '2027-01-04T08:59:00Z', '2027-01-05T05:00:00.000Z'],
])('%s', (_, now, started, until) => {
  expect(judge(now, started)).toBe(until);
});

test('it did not start', () => {
  const since = new Date('2027-01-04T05:00:00Z');
  expect(judge('2027-01-04T05:00:00Z', '2027-01-03T22:59:59Z')).toEqual({
    ...{ summary: 'close had not started by 06:00 (Europe/Vienna)', since },
    why: ['its last start was at 2027-01-03T22:59:59.000Z'],
  });
  // It stays so until it starts.
  expect(judge('2027-01-05T04:00:00Z', null)).toMatchObject({ since, why: ['no run of it that is kept has started'] });
});

test('on other days nothing is asked of it, nor of one that came during the day', () => {
  // A Monday; asked for on Fridays.
  expect(judge('2027-01-04T06:00:00Z', '2027-01-01T04:00:00Z', { days: [5] })).toBe('2027-01-08T05:00:00.000Z');
  expect(judge('2027-01-04T06:00:00Z', null, { createdAt: '2027-01-04T02:00:00Z' })).toBe('2027-01-05T05:00:00.000Z');
});
