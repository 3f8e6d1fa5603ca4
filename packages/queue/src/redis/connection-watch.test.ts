import { expect, test } from 'vitest';
import { createConnectionWatch } from './connection-watch.ts';

test('a worker that is silent in two looks in a row is to be replaced, once', () => {
  const watch = createConnectionWatch(1000);
  expect(watch.look([{ queue: 'a', silentMs: 999 }])).toEqual([]);
  expect(watch.look([{ queue: 'a', silentMs: 1000 }])).toEqual([]);
  expect(watch.look([{ queue: 'a', silentMs: 2000 }])).toEqual(['a']);
  expect(watch.look([{ queue: 'a', silentMs: 3000 }])).toEqual([]);
});

test('one look after a blocked event loop condemns nobody', () => {
  const watch = createConnectionWatch(1000);
  expect(watch.look([{ queue: 'a', silentMs: 60_000 }])).toEqual([]);
  expect(watch.look([{ queue: 'a', silentMs: 5 }])).toEqual([]);
  expect(watch.look([{ queue: 'a', silentMs: 1500 }])).toEqual([]);
});

test('a worker that was full meanwhile is not suspected any more', () => {
  const watch = createConnectionWatch(1000);
  watch.look([{ queue: 'a', silentMs: 2000 }]);
  expect(watch.look([])).toEqual([]);
  expect(watch.look([{ queue: 'a', silentMs: 3000 }])).toEqual([]);
});
