import { seededRandom } from '@escapement/core';

/** All of these in an order by a seed: the same seed gives the same order, so that more of them begin with the same ones. */
export function draw<T>(all: readonly T[], seed: number): T[] {
  const left = [...all];
  const random = seededRandom(seed);
  for (let place = 0; place < left.length; place++) {
    const other = place + Math.floor(random.next() * (left.length - place));
    [left[place], left[other]] = [left[other] as T, left[place] as T];
  }
  return left;
}
