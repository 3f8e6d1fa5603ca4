import { expect, test } from 'vitest';
import { judgeCopy, judgeRedisOfCopy } from './judge-copy.ts';
import { type CopySeen, statusOf } from './look-at-copy.ts';

const at = (hour: number) => new Date(Date.UTC(2026, 10, 26, hour));
const NONE = { running: 0, retrying: 0, notBegun: 0, held: 0, unknown: 0 };
const NOTHING = { ...NONE, backfills: 0, requests: 0, batches: 0, followers: 0, messages: 0 };
const origin = { now: at(12), copied: false, checkedAt: null, lastSignAt: at(10), unsafe: false, marker: 'm' };

function seen(more: Partial<CopySeen> = {}): CopySeen {
  const whole = { ...origin, alive: [], work: NOTHING, gap: [], allTasks: true, ...more };
  return { ...whole, ...statusOf(whole), ...more };
}
const said = (copy: CopySeen) =>
  judgeCopy(copy)
    .filter(({ level }) => level !== 'ok')
    .map(({ subject, level }) => `${subject} ${level}`);

test.each([
  ['nobody ever worked on it', { lastSignAt: null }, { copyAt: null, open: false }],
  ['nobody has said anything yet', {}, { copyAt: at(10), open: true }],
  ['it was accepted, and nobody has worked on it since', { checkedAt: at(11) }, { copyAt: at(11), open: false }],
  ['it was accepted, and worked on since', { checkedAt: at(9) }, { copyAt: at(10), open: true }],
  ['it was copied again after that', { checkedAt: at(11), copied: true }, { copyAt: at(11), open: true }],
])('%s', (_, more, expected) => expect(statusOf({ ...origin, ...more })).toEqual(expected));

test('what was restored is a problem where it is known, else worth a look', () => {
  expect(said(seen())).toEqual(['Ledger warning']);
  expect(said(seen({ copied: true }))).toEqual(['Ledger problem']);
  expect(said(seen({ checkedAt: at(11) }))).toEqual([]);
  expect(said(seen({ checkedAt: at(11), alive: ['s'] }))).toEqual(['Fleet problem']);
});

test('all that would run again is told', () => {
  const work = { ...NOTHING, running: 1, held: 2, backfills: 1, followers: 3, messages: 1 };
  const gap = [{ task: 'nightly', occurrences: 2, wouldRun: 1, catchUp: 'latest' }];
  expect(said(seen({ work, gap }))).toEqual([
    'Ledger warning',
    'Runs problem',
    'Under way problem',
    'Alerts warning',
    'Occurrences problem',
  ]);
  const details = judgeCopy(seen({ work, gap })).map(({ detail }) => detail);
  expect(details).toContain('1 backfill, followers of 3 runs: would go on from where they were');
});

test('a clock that is behind the copy would give fences again', () => {
  expect(said(seen({ now: at(9) }))).toEqual(['Ledger warning', 'Fences problem']);
});

test('Redis is empty, as the ledger knows it, or of another time', () => {
  expect(judgeRedisOfCopy('Redis', null, 'm').level).toBe('ok');
  expect(judgeRedisOfCopy('Redis', 'm', 'm').level).toBe('ok');
  expect(judgeRedisOfCopy('Redis', 'later', 'm')).toMatchObject({
    level: 'warning',
    fix: expect.stringContaining('FLUSHDB'),
  });
});
