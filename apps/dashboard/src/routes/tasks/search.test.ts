import { expect, test } from 'vitest';
import { queryOf, tasksSearch } from './search.ts';

test('an address that cannot be read shows what it can', () => {
  expect(tasksSearch.parse({ name: 'report', state: 'asleep', sort: 'next', pool: 3 })).toEqual({
    name: 'report',
    sort: 'next',
  });
});

test('a part of the name is looked for anywhere in it, and each order has its direction', () => {
  expect(queryOf({ name: 'report', pool: 'gpu' })).toEqual({
    name: '*report*',
    pool: 'gpu',
    sort: 'name',
    order: 'asc',
  });
  expect(queryOf({ name: '', sort: 'updated', state: 'paused' })).toEqual({
    ...{ state: 'paused', sort: 'updated', order: 'desc' },
  });
});
