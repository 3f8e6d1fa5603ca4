import { expect, test } from 'vitest';
import { itemsOf } from './lines.ts';

test('items are one JSON value a line; the first line that is none is named', () => {
  expect(itemsOf('1\n\n"two"\n{"three": 3}\n')).toEqual({ items: [1, 'two', { three: 3 }] });
  expect(itemsOf('1\n\ntwo\nthree')).toEqual({ wrongLine: 3 });
  expect(itemsOf(' \n')).toEqual({ items: [] });
});
