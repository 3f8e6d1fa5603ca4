import { expect, test } from 'vitest';
import { forecastSearch, queryOf, spanOf } from './search.ts';

test('a longer time has longer pieces; what an address cannot mean is left out', () => {
  expect(queryOf({}, 'UTC')).toEqual({ days: 1, step: '15m', timeZone: 'UTC' });
  expect(queryOf({ span: '31d', pool: 'gpu' }, 'Asia/Kolkata')).toEqual({
    ...{ days: 31, step: '6h', timeZone: 'Asia/Kolkata', pool: 'gpu' },
  });
  expect(spanOf(forecastSearch.parse({ span: '2y', pool: '' }))).toBe('24h');
});
