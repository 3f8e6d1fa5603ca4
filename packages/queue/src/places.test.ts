import { expect, test } from 'vitest';
import { createPlaces } from './places.ts';

test('a place that becomes free goes to who has waited the longest', async () => {
  const places = createPlaces(1);
  expect(await places.takeWithin(0)).toBe(true);
  const order: string[] = [];
  const waiting = ['a', 'b'].map((name) => places.takeWithin(60_000).then((got) => got && order.push(name)));
  places.free();
  await waiting[0];
  expect([order, places.taken]).toEqual([['a'], 1]);
  places.free();
  await waiting[1];
  places.free();
  expect([order, places.taken]).toEqual([['a', 'b'], 0]);
});

test('who waits gets none when the time is over or places are refused, and takes none', async () => {
  const places = createPlaces(1);
  places.take();
  expect(await places.takeWithin(5)).toBe(false);
  const refused = places.takeWithin(60_000);
  places.refuse();
  expect(await refused).toBe(false);
  places.free();
  expect(places.taken).toBe(0);
});

test('what was taken beyond the limit frees no place', async () => {
  const places = createPlaces(1);
  places.take();
  places.take();
  const waiting = places.takeWithin(60_000);
  places.free();
  expect(places.taken).toBe(1);
  places.free();
  expect([await waiting, places.taken]).toEqual([true, 1]);
});
