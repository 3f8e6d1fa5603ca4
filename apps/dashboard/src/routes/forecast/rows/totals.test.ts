import { expect, test } from 'vitest';
import { condense } from './condense.ts';
import { heightsOf, lookOf, pastOf, type Row, type Rows, startsOf } from './totals.ts';

const none = { succeeded: 0, failed: 0, missed: 0, notRun: 0 };
const row = (more: Partial<Row>): Row => ({ name: 'a', tasks: [], past: [], ahead: [], p50Ms: null, ...more });

test('a row is told in numbers: what was, and what starts', () => {
  const of = row({
    past: [
      { ...none, succeeded: 2 },
      { ...none, succeeded: 1, failed: 3 },
    ],
    ahead: [4, 0, 2],
  });
  expect(pastOf(of)).toEqual({ ...none, succeeded: 3, failed: 3 });
  expect(startsOf(of)).toBe(6);
  expect(heightsOf(of, 3)).toEqual([1, 0, 0.5]);
});

test('what is not counted is drawn as a band', () => {
  expect([startsOf(row({ ahead: null })), heightsOf(row({ ahead: null }), 2)]).toEqual([null, [1, 1]]);
});

test('a piece looks like the worst in it; one in which nothing ended has no mark', () => {
  const shapes = [
    { ...none, failed: 1, succeeded: 5 },
    { ...none, missed: 1, succeeded: 5 },
    { ...none, notRun: 1 },
    none,
  ];
  expect(shapes.map((each) => lookOf(each)?.shape ?? null)).toEqual(['cross', 'gap', 'ring', null]);
});

test('of too many pieces those that follow each other become one, and the odd ones are farthest from now', () => {
  const hours = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
  const of: Rows = {
    now: '5',
    past: hours(5),
    ahead: hours(5),
    to: '10',
    rows: [row({ past: hours(5).map((n) => ({ ...none, failed: Number(n) })), ahead: [1, 2, 3, 4, 5] })],
    left: 0,
  };
  const { past, ahead, rows } = condense(of, 3);
  expect({ past, ahead }).toEqual({ past: ['0', '1', '3'], ahead: ['0', '2', '4'] });
  expect(rows[0]?.past.map(({ failed }) => failed)).toEqual([0, 3, 7]);
  expect(rows[0]?.ahead).toEqual([3, 7, 5]);
  expect(condense(of, 5)).toEqual(of);
});
