import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runAction } from './held-action.ts';
import { arranged, orderOf, placedAt } from './order.ts';
import { idleMoves } from './use-moves.ts';

const held = (task: string, priority: number, firstAt: string) => ({ task, priority, firstAt });
const TASKS = [
  held('old', 0, '2026-11-25T01:00:00Z'),
  held('urgent', 9, '2026-11-25T03:00:00Z'),
  held('new', 0, '2026-11-25T02:00:00Z'),
  held('b-twin', 0, '2026-11-25T02:00:00Z'),
];
const names = (order: readonly string[]) => arranged(TASKS, order).map(({ task }) => task);

test('without an order: the highest priority, then the oldest first, then by name', () => {
  expect(names([])).toEqual(['urgent', 'old', 'b-twin', 'new']);
});

test('those that are put before the others come first; one of which nothing is held any more is passed over', () => {
  expect(names(['new', 'gone', 'old'])).toEqual(['new', 'old', 'urgent', 'b-twin']);
});

test('what is new comes below those that were put in order', () => {
  const more = [...TASKS, held('came', 99, '2026-11-25T00:00:00Z')];
  expect(arranged(more, ['old', 'new']).map(({ task }) => task)).toEqual(['old', 'new', 'came', 'urgent', 'b-twin']);
});

const MOVES: readonly { where: string; order: string[]; name: string; at: number; is: string[] }[] = [
  { where: 'to the top', order: [], name: 'c', at: 0, is: ['c'] },
  {
    where: 'to the top where it is the first: before the others, whatever their age',
    order: [],
    name: 'a',
    at: 0,
    is: ['a'],
  },
  { where: 'below others, which come before it then', order: [], name: 'a', at: 2, is: ['b', 'c', 'a'] },
  { where: 'to the end', order: [], name: 'b', at: 3, is: ['a', 'c', 'd', 'b'] },
  { where: 'up within the order', order: ['a', 'b', 'c'], name: 'c', at: 0, is: ['c', 'a', 'b'] },
  { where: 'down, below one that was in no order', order: ['a', 'b'], name: 'a', at: 2, is: ['b', 'c', 'a'] },
  { where: 'to where it is', order: ['a', 'b'], name: 'b', at: 1, is: ['a', 'b'] },
];

test.each(MOVES)('a task goes $where', ({ order, name, at, is }) => {
  expect(placedAt(['a', 'b', 'c', 'd'], order, { name, at })).toEqual(is);
});

const ALL = ['a', 'b', 'c', 'd', 'e', 'f'];

test('wherever tasks are moved, each is at the place to which it was moved, and none is lost or there twice', () => {
  const moves = fc.array(fc.tuple(fc.constantFrom(...ALL), fc.nat(ALL.length - 1)), { minLength: 1 });
  fc.assert(
    fc.property(moves, (each) => {
      const tasks = ALL.map((task) => held(task, 0, '2026-11-25T00:00:00Z'));
      let order: string[] = [];
      for (const [name, at] of each) {
        const all = arranged(tasks, order).map(({ task }) => task);
        order = placedAt(all, order, { name, at });
        const moved = arranged(tasks, order).map(({ task }) => task);
        expect(moved.indexOf(name)).toBe(at);
        expect(moved.filter((task) => task !== name)).toEqual(all.filter((task) => task !== name));
        expect(new Set(order).size).toBe(order.length);
      }
    }),
  );
});

test('an act has the order of its tasks; it says whether there are others, and whether some are more urgent', () => {
  expect(orderOf(TASKS, [])).toBeUndefined();
  expect(orderOf(TASKS.slice(0, 1), ['old'])).toBeUndefined();
  expect(orderOf(TASKS, ['gone'])).toBeUndefined();
  expect(orderOf(TASKS, ['new', 'gone'])).toEqual({ names: ['new'], hasOthers: true, hasPriorities: true });
  const two = TASKS.slice(2);
  expect(orderOf(two, ['new', 'b-twin'])).toEqual({
    ...{ names: ['new', 'b-twin'], hasOthers: false, hasPriorities: false },
  });
  const order = orderOf(TASKS, ['new']);
  const terms = { latestOnly: false, perMinute: null, fromAt: null };
  expect(runAction({ ...(order ? { order } : {}) }, terms)).toMatchObject({ action: 'run_held', order: ['new'] });
  expect(runAction({}, terms)).not.toHaveProperty('order');
});

test('the first task can be put at the top while it is not in the order; it cannot go up', () => {
  expect(idleMoves(0, { ordered: 0, all: 3 })).toEqual(['up']);
  expect(idleMoves(0, { ordered: 1, all: 3 })).toEqual(['top', 'up']);
  expect(idleMoves(1, { ordered: 1, all: 3 })).toEqual([]);
  expect(idleMoves(2, { ordered: 1, all: 3 })).toEqual(['down']);
});
