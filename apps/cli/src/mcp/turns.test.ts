import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('no more are at work at once than may be, in order, and one that fails gives its place away', async () => {
  const inTurn = createTurns(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const action = (number: number) =>
    inTurn(async () => {
      begun.push(number);
      await new Promise<void>((resolve, reject) => ends.push(number === 1 ? () => reject(new Error('no')) : resolve));
      return number;
    });
  const all = Promise.allSettled([action(1), action(2), action(3), action(4)]);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  expect(begun).toEqual([1, 2]);
  ends[0]?.();
  await turn();
  expect(begun).toEqual([1, 2, 3]);
  for (const end of ends) end();
  await turn();
  for (const end of ends) end();
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
});
