import { newRunId } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import { expect, test } from 'vitest';
import type { Database } from '../postgres/database.ts';
import { listRuns } from './list-runs.ts';
import type { RunFilter } from './run-conditions.ts';

const TEAM = parseSelector('team=shop');
const PAGE = newRunId(new Date(0));

/** Which statements are asked, where they answer with so many runs, that the runs of all are few, or so many tasks. */
async function asked(
  filter: RunFilter,
  found: readonly number[],
  { areFew = false, tasks = 301 } = {},
): Promise<string[]> {
  const names: string[] = [];
  const left = [...found];
  const query = async ({ name }: { name: string }) => {
    names.push(name);
    if (name.startsWith(TASKS)) return { rows: Array.from({ length: tasks }, () => ({ id: 'task' })) };
    if (name === 'are_few_runs') return { rows: [{ few: areFew }] };
    return { rows: Array.from({ length: left.shift() ?? 0 }, () => ({ attempt: 1 })) };
  };
  const db = Object.assign(Object.create(null), { namespace: 'default', hot: { query }, pool: { query } }) as Database;
  expect(await listRuns(db, filter)).toHaveLength(found.at(-1) ?? 0);
  expect(left).toEqual([]);
  return names;
}

const LATEST = 'list_runs_among_latest_5000';
const FURTHER = 'list_runs_among_latest_40000';
const FEW = 'are_few_runs';
const TASKS = 'tasks_of_runs';

test.each<[string, number[], boolean, string[]]>([
  ['among the latest runs a page is found at once', [20], false, [LATEST]],
  ['fewer are all where there are few runs', [3], true, [LATEST, FEW]],
  ['with a quarter of a page it is looked further', [5, 20], false, [LATEST, FEW, FURTHER]],
  ['with less the tasks are asked for their own', [4, 9], false, [LATEST, FEW, 'list_runs_by_tasks']],
  [
    'where that was no page either the tasks are asked',
    [5, 19, 19],
    false,
    [LATEST, FEW, FURTHER, 'list_runs_by_tasks'],
  ],
])('%s', async (_, found, areFew, names) => {
  expect(await asked({ limit: 20 }, found, { areFew })).toEqual(names);
});

test.each<[string[], Omit<RunFilter, 'limit'>]>([
  [[LATEST], {}],
  [[`${TASKS}_names`, `${LATEST}_names`], { tasksLike: ['t*'] }],
  [[`${TASKS}_labels`, `${LATEST}_labels`], { labels: TEAM }],
  [[`${LATEST}_page`], { before: PAGE }],
  [[`${TASKS}_names_labels`, `${LATEST}_names_labels_page`], { tasksLike: ['t*'], labels: TEAM, before: PAGE }],
  [[LATEST], { since: new Date(0), until: new Date(1) }],
])('%s have the runs of %o', async (names, filter) => {
  expect(await asked({ ...filter, limit: 1 }, [1])).toEqual(names);
});

test('up to 300 tasks are each asked for their own at once, and none for nothing', async () => {
  const some = { tasksLike: ['t*'], limit: 20 };
  const names = [`${TASKS}_names`, 'list_runs_of_tasks'];
  expect(await asked(some, [7], { tasks: 1 })).toEqual(names);
  expect(await asked(some, [7], { tasks: 300 })).toEqual(names);
  expect(await asked({ ...some, before: PAGE }, [7], { tasks: 9 })).toEqual([names[0], 'list_runs_of_tasks_page']);
  expect(await asked(some, [], { tasks: 0 })).toEqual([names[0]]);
});

test.each<[string, Omit<RunFilter, 'limit'>]>([
  ['a task', { taskName: 't' }],
  ['a key', { key: 'k' }],
  ['a worker', { worker: 'w' }],
  ['an origin', { origins: ['trigger'] }],
  ['a state', { states: ['failed'] }],
  ['an error', { error: 'x' }],
])('runs of %s are not looked for among the latest', async (_, filter) => {
  const names = await asked({ ...filter, limit: 1 }, [1]);
  expect(names).toHaveLength(1);
  expect(names[0]).toMatch(/^list_runs_by_(?!tasks)/);
});

test('nor are those of a page that is large', async () => {
  expect(await asked({ limit: 1000 }, [1000])).toEqual([LATEST]);
  expect(await asked({ limit: 1001 }, [1001])).toEqual(['list_runs_by_id']);
});
