import { expect, test } from 'vitest';
import { createPlaces, createPlacesByPool } from './places.ts';

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
  expect(places.takeNow()).toBe(true);
  expect(await places.takeWithin(5)).toBe(false);
  const refused = places.takeWithin(60_000);
  places.refuse();
  expect(await refused).toBe(false);
  places.free();
  expect(places.taken).toBe(0);
});

test('nobody takes one before who waits', async () => {
  const places = createPlaces(1);
  expect(places.takeNow()).toBe(true);
  const waiting = places.takeInTurn(() => undefined);
  expect([places.takeNow(), places.hasRoom]).toEqual([false, false]);
  places.free();
  expect([places.takeNow(), await waiting, places.taken]).toEqual([false, true, 1]);
  places.free();
  expect(places.hasRoom).toBe(true);
});

test('the queues of a pool share its places, and those of another pool have their own', async () => {
  const places = createPlacesByPool(1);
  expect(places.of('a+shell').takeNow()).toBe(true);
  expect(places.of('a').takeNow()).toBe(false);
  expect(places.of('b').takeNow()).toBe(true);
  const waiting = places.of('a+code').takeInTurn(() => undefined);
  places.refuse();
  expect(await waiting).toBe(false);
});

test('who gives up waiting gets none, and is not in the way of the next', async () => {
  const places = createPlaces(1);
  expect(places.takeNow()).toBe(true);
  let giveUp: () => void = () => undefined;
  const first = places.takeInTurn((stop) => {
    giveUp = stop;
  });
  const second = places.takeInTurn(() => undefined);
  giveUp();
  giveUp();
  places.free();
  expect([await first, await second, places.taken]).toEqual([false, true, 1]);
  // Too late: it has its place.
  giveUp();
  expect(places.taken).toBe(1);
});
