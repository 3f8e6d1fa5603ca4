import { expect, test } from 'vitest';
import { parseSelector } from '../rights/labels.ts';
import { parseTaskQuery } from './task-query.ts';

test.each([
  ['', {}],
  ['task:nightly-*,weekly', { names: ['nightly-*', 'weekly'] }],
  ['label:team=shop,env=test|stage pool:heavy', { labels: parseSelector('team=shop,env=test|stage'), pool: 'heavy' }],
  ['key:"eu, west"', { key: 'eu, west' }],
])('%s', (text, query) => {
  expect(parseTaskQuery(text)).toEqual(query);
});

test.each([
  ['task:a state:failed', [7, 12], 'tasks have no field "state" (character 8)', 'use one of task, label, pool, key'],
  ['pol:heavy', [0, 3], 'tasks have no field "pol" (character 1)', 'did you mean pool?'],
  ['pool:a,b', [0, 8], 'pool has several values (character 1)', 'give one, in quotes where it has a comma in it'],
  ['task:a task:b', [7, 13], 'task is given twice (character 8)', 'give one of several with commas: task:one,other'],
])('refused: %s', (text, [start, end], message, fix) => {
  expect(() => parseTaskQuery(text)).toThrow(
    expect.objectContaining({ code: 'bad_query', message, at: { start, end }, fix: expect.stringContaining(fix) }),
  );
});
