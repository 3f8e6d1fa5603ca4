import { expect, test } from 'vitest';
import { limitsOf } from './limits.ts';
import { forecastSearch, queryOf, spanOf } from './search.ts';

test('a longer time has longer pieces; what an address cannot mean is left out', () => {
  expect(queryOf({}, 'UTC')).toEqual({ days: 1, step: '15m', timeZone: 'UTC' });
  expect(queryOf({ span: '31d', pool: 'gpu' }, 'Asia/Kolkata')).toEqual({
    ...{ days: 31, step: '6h', timeZone: 'Asia/Kolkata', pool: 'gpu' },
  });
  expect(queryOf({ key: 'crm' }, 'UTC')).toMatchObject({ key: 'crm' });
  expect(spanOf(forecastSearch.parse({ span: '2y', pool: '' }))).toBe('24h');
});

test('a limit is that of the only pool, and of the key that was asked for', () => {
  const peak = { runs: 3, at: null };
  const pool = (name: string, capacity: number) => ({ pool: name, runs: 9, capacity, p50: peak, p95: peak });
  const limits = (pools: readonly ReturnType<typeof pool>[], keyLimit: number | null, key?: string) =>
    limitsOf({ pools: [...pools], keyLimit }, key).map(({ runs }) => runs);
  expect(limits([pool('default', 10)], null)).toEqual([10]);
  expect(limits([pool('default', 10), pool('gpu', 2)], 3, 'crm')).toEqual([3]);
  expect(limits([pool('default', 10)], 3, 'crm')).toEqual([10, 3]);
  expect(limits([pool('default', 0)], null, 'crm')).toEqual([]);
});
