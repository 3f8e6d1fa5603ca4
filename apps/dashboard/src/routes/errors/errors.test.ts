import { expect, test } from 'vitest';
import { binsOf } from './bins.ts';
import { errorsSearch, queryOf } from './search.ts';

const HOUR = 3_600_000;
const now = Date.parse('2026-11-25T12:34:56Z');

test('the time is cut into whole hours, and the hour of now is the last piece', () => {
  const hours = [
    { at: '2026-11-24T13:00:00Z', count: 2 },
    { at: '2026-11-25T12:00:00Z', count: 3 },
  ];
  const bins = binsOf(hours, { spanMs: 24 * HOUR, now });
  expect([bins.length, bins[0]?.fromMs]).toEqual([25, Date.parse('2026-11-24T12:00:00Z')]);
  expect([bins[1]?.count, bins.at(-1)?.count]).toEqual([2, 3]);
});

test('a longer time has no more pieces than can be drawn, and no failure is lost', () => {
  const hours = Array.from({ length: 720 }, (_, hour) => ({
    at: new Date(Date.parse('2026-11-25T12:00:00Z') - hour * HOUR).toISOString(),
    count: 1,
  }));
  const bins = binsOf(hours, { spanMs: 720 * HOUR, now });
  expect(bins.length).toBeLessThanOrEqual(48);
  expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(720);
});

test('open ones are asked for with those that are back; what an address cannot mean is left out', () => {
  expect(queryOf({})).toEqual({ since: '24h', state: 'open,back' });
  expect(queryOf({ shown: 'all', since: '7d', task: 'a' })).toEqual({ since: '7d', task: 'a' });
  expect(errorsSearch.parse({ since: '2y', shown: 'odd', task: '' })).toEqual({
    since: undefined,
    shown: undefined,
    task: undefined,
  });
});
