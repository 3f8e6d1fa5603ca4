import { parseSelector } from '@escapement/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Database } from '../database.ts';
import type { RunFilter } from './run-conditions.ts';
import { statementFor } from './run-statements.ts';

// The text alone is made here: it needs the namespace and nothing else.
const db = { namespace: 'default' } as Database;
const statement = (filter: RunFilter) => statementFor(db, filter, { rows: (ids) => ids, prefix: 'list' });

const bounds = (
  values: {
    [bound in keyof RunFilter]-?: readonly [NonNullable<RunFilter[bound]>, NonNullable<RunFilter[bound]>];
  },
) => values;

/** Two values of each bound. */
const BOUNDS = bounds({
  taskName: ['nightly', 'hourly'],
  tasksLike: [['night*'], ['hour*', 'x']],
  labels: [parseSelector('team=shop'), parseSelector('team=mail')],
  states: [['failed'], ['missed', 'skipped']],
  key: ['one', 'two'],
  worker: ['w1', 'w2'],
  origins: [['trigger'], ['schedule', 'catch_up']],
  error: ['disk full', 'timeout'],
  reasonsOnly: [true, true],
  since: [new Date(0), new Date(1)],
  until: [new Date(2), new Date(3)],
  before: ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'],
  limit: [1, 2],
});

const KEYS = Object.keys(BOUNDS) as (keyof RunFilter)[];
const SUBSETS = fc.subarray(KEYS.filter((bound) => bound !== 'limit'));

function filterOf(given: readonly (keyof RunFilter)[], which: 0 | 1): RunFilter {
  return {
    ...Object.fromEntries(given.map((bound) => [bound, BOUNDS[bound][which]])),
    limit: BOUNDS.limit[which],
  };
}

test('a name stands for one text: a connection keeps the text that it has first heard by a name', () => {
  const texts = new Map<string, string>();
  fc.assert(
    fc.property(SUBSETS, (given) => {
      const { name, text } = statement(filterOf(given, 0));
      if (name === '') return;
      expect(texts.get(name) ?? text).toBe(text);
      texts.set(name, text);
    }),
    { numRuns: 3000 },
  );
});

test('other values make no other name: a connection would keep a plan for each', () => {
  fc.assert(
    fc.property(SUBSETS, (given) => {
      expect(statement(filterOf(given, 1)).name).toBe(statement(filterOf(given, 0)).name);
    }),
    { numRuns: 1000 },
  );
});

test('a bound that is not given is not in the name', () => {
  for (const bound of KEYS)
    if (!['since', 'until', 'limit', 'labels', 'tasksLike', 'reasonsOnly'].includes(bound))
      expect(statement(filterOf([bound], 0)).name).not.toBe(statement(filterOf([], 0)).name);
  expect(statement(filterOf([], 0)).name).toBe('list_runs_by_id');
});
