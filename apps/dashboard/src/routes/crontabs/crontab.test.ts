import { expect, test } from 'vitest';
import { crontabsOf, headingTo, isGreen, type Line, nextSide } from './crontab.ts';

const line = (more: Partial<Line> = {}): Line => ({
  ...{ id: 'a', task: 'backup', taskId: '', source: 'web1:/etc/crontab', meaning: '', schedule: '30 2 * * *' },
  ...{ command: 'pg_dump shop', user: 'root', comparedSince: null, state: 'agrees', hosts: ['web1'], side: 'cron' },
  ...{ cutover: null, lastStartedAt: null, agreed: 3, pending: 0, offByMs: null, tookMs: null, exits: [] },
  ...{ onlyCron: 0, onlyHere: 0, unexplained: 0, differences: [] },
  ...more,
});

const cutover = (more: Partial<NonNullable<Line['cutover']>>): NonNullable<Line['cutover']> => ({
  ...{ id: 'c', host: 'web1', to: 'fleet', at: '2026-01-02T00:00:00Z', state: 'taken', askedBy: 'ann', reason: null },
  ...{ askedAt: '2026-01-01T00:00:00Z', settled: null, settledBy: null, answer: null, answeredAt: null },
  ...more,
});

test('two crontabs of a host are told apart, and what was heard is of each alone', () => {
  const found = crontabsOf([
    line({ source: 'web1:/etc/cron.d/shop', lastStartedAt: '2026-01-01T10:00:00Z' }),
    line({ id: 'b', hosts: ['web2'], lastStartedAt: '2026-01-01T08:00:00Z' }),
    line({ id: 'c', lastStartedAt: '2026-01-01T09:00:00Z', comparedSince: '2026-01-01T01:00:00Z' }),
  ]);
  expect(
    found.map(({ host, path, lines, hosts, lastStartedAt }) => [host, path, lines.length, hosts, lastStartedAt]),
  ).toEqual([
    ['web1', '/etc/cron.d/shop', 1, ['web1'], '2026-01-01T10:00:00Z'],
    ['web1', '/etc/crontab', 2, ['web2', 'web1'], '2026-01-01T09:00:00Z'],
  ]);
  expect(found[1]?.comparedSince).toBe('2026-01-01T01:00:00Z');
});

test('a crontab of another name is called by it, and lines are found by their command', () => {
  const lines = [line({ source: 'shop' }), line({ id: 'b', command: 'logrotate' })];
  expect(crontabsOf(lines, 'PG_dump').map(({ host, path }) => [host, path])).toEqual([[null, 'shop']]);
});

test('a line of cron may go to the fleet, one of the fleet back, and one whose host is asked where that was asked', () => {
  expect(nextSide(line())).toBe('fleet');
  expect(nextSide(line({ cutover: cutover({}) }))).toBe('cron');
  expect(nextSide(line({ side: 'fleet', cutover: cutover({ state: 'proposed', to: 'cron' }) }))).toBe('cron');
  expect(nextSide(line({ cutover: cutover({ state: 'proposed' }) }))).toBe('fleet');
});

test('a line goes to whom its host has agreed, and to nobody that is known before it has', () => {
  expect(headingTo(line())).toBe('cron');
  expect(headingTo(line({ cutover: cutover({}) }))).toBe('fleet');
  expect(headingTo(line({ cutover: cutover({ state: 'refused' }) }))).toBe('cron');
  expect(headingTo(line({ cutover: cutover({ state: 'proposed' }) }))).toBe('unknown');
  expect(headingTo(line({ side: 'unknown' }))).toBe('unknown');
});

test('green is what cron has, and what has agreed three times', () => {
  expect([line(), line({ agreed: 2 }), line({ unexplained: 1 }), line({ cutover: cutover({}) })].map(isGreen)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
