import { expect, test } from 'vitest';
import { findFollowCycle, followCauses, followersOf, inOrderOfSaving } from './follow-graph.ts';

const then = (...names: string[]) => names.map((task) => ({ task }));

test('followersOf: each task once, with the field that names it first', () => {
  expect(followersOf({ name: 'a', then: then('b', 'c', 'b'), onFailure: 'c', onSkip: 'd' })).toEqual([
    { name: 'b', field: 'then.0' },
    { name: 'c', field: 'then.1' },
    { name: 'd', field: 'onSkip' },
  ]);
});

test('followCauses: each task with all at which it is started', () => {
  const task = {
    name: 'a',
    then: [{ task: 'b' }, { task: 'b', when: 'failure' }, { task: 'b' }],
    onSkip: 'b',
    onLate: 'c',
  } as const;
  expect([...followCauses(task)]).toEqual([
    ['b', ['success', 'failure', 'onSkip']],
    ['c', ['onLate']],
  ]);
});

test('findFollowCycle names the way round, and goes through a knot of ways once', () => {
  const edges: Record<string, string[]> = { a: ['b', 'x'], b: ['c'], c: ['b', 'a'], x: [] };
  expect(findFollowCycle('a', (name) => edges[name] ?? [])).toEqual(['a', 'b', 'c', 'a']);
  expect(findFollowCycle('x', (name) => edges[name] ?? [])).toBeUndefined();
  expect(findFollowCycle('self', () => ['self'])).toEqual(['self', 'self']);
});

test('inOrderOfSaving: who follows comes first; a circle has an end too', () => {
  const names = (tasks: { name: string }[]) => tasks.map(({ name }) => name);
  expect(
    names(inOrderOfSaving([{ name: 'a', then: then('b') }, { name: 'b', onFailure: 'c' }, { name: 'c' }])),
  ).toEqual(['c', 'b', 'a']);
  expect(
    names(
      inOrderOfSaving([
        { name: 'a', then: then('b') },
        { name: 'b', then: then('a') },
      ]),
    ),
  ).toEqual(['b', 'a']);
});
