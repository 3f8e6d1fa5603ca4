import { RUN_STATES } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Database } from '../postgres/database.ts';
import type { RunFilter } from './run-conditions.ts';
import { isGoingOn, statementFor } from './run-statements.ts';

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

const TEAM = parseSelector('team=shop');

test.each<[string, 'hot' | 'pool', Omit<RunFilter, 'limit'>]>([
  ['list_runs_by_id', 'pool', {}],
  ['list_runs_by_id_worker', 'pool', { worker: 'w' }],
  ['list_runs_by_id_page', 'pool', { before: BOUNDS.before[0] }],
  ['list_runs_by_id_reasons', 'pool', { reasonsOnly: true }],
  ['list_runs_by_id', 'pool', { reasonsOnly: false }],
  ['list_runs_by_id_state', 'pool', { states: ['succeeded'] }],
  ['list_runs_by_id_state', 'pool', { states: ['failed', 'succeeded'] }],
  ['list_runs_by_task_task', 'pool', { taskName: 't' }],
  ['list_runs_by_task_task_state', 'pool', { taskName: 't', states: ['succeeded'] }],
  ['list_runs_by_labels_names', 'pool', { tasksLike: ['t*'] }],
  ['list_runs_by_labels_labels', 'pool', { labels: TEAM }],
  ['list_runs_by_labels_task_names_labels', 'pool', { taskName: 't', tasksLike: ['t*'], labels: TEAM }],
  ['list_runs_by_key_key', 'pool', { key: 'k' }],
  ['list_runs_by_key_key_origin_state', 'pool', { key: 'k', states: ['failed'], origins: ['trigger'] }],
  // What is planned once has its bounds in its name twice.
  ['list_runs_by_phase_state_state', 'hot', { states: ['failed'] }],
  ['list_runs_by_phase_state_state', 'hot', { states: ['held', 'unknown'] }],
  ['list_runs_by_phases_state_state', 'hot', { states: ['failed', 'queued'] }],
  ['list_runs_by_phases_state_state', 'hot', { states: ['running'] }],
  ['list_runs_by_phase_task_state_task_state', 'hot', { taskName: 't', states: ['failed'] }],
  ['list_runs_by_phase_origin_state_origin_state', 'hot', { states: ['failed'], origins: ['trigger'] }],
  ['list_runs_by_origin_origin_origin', 'hot', { origins: ['trigger'] }],
  ['list_runs_by_origin_origin_state_origin_state', 'hot', { origins: ['trigger'], states: ['succeeded'] }],
  ['list_runs_by_error', 'hot', { error: 'x' }],
  // Planned anew each time.
  ['', 'pool', { states: ['failed'], labels: TEAM }],
  ['', 'pool', { states: ['failed'], tasksLike: ['t*'] }],
  ['', 'pool', { origins: ['trigger'], tasksLike: ['t*'] }],
])('%s, by the connections of %s, is what reads the runs of %o', (name, pool, filter) => {
  expect(statement({ ...filter, limit: 1 })).toMatchObject({ name, pool });
});

test.each([
  ['tasks', 'any ids'],
  ['id', null],
])('where any run will do they are read by %s', (way, ofAny) => {
  const made = statementFor(db, { limit: 1 }, { rows: (ids) => ids, prefix: 'list', ofAny: () => ofAny });
  expect(made.name).toBe(`list_runs_by_${way}`);
  if (ofAny) expect(made.text).toBe(ofAny);
});

test('runs go on by themselves until they have ended, or wait for a person', () => {
  expect(RUN_STATES.filter(isGoingOn).sort()).toEqual(['planned', 'queued', 'retrying', 'running', 'waiting']);
});

test('runs of an error or an origin are looked for with its words, and with its name', () => {
  expect(statement({ error: 'disk full', limit: 1 }).values).toContain('disk full');
  expect(statement({ origins: ['trigger'], limit: 1 }).values).toContainEqual(['trigger']);
  expect(statement({ origins: ['trigger'], states: ['succeeded'], limit: 1 }).values).toContainEqual(['succeeded']);
});
