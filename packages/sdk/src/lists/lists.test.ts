import type { HandlerCall } from '@escapement/core';
import { expect, test } from 'vitest';
import { Lists } from './lists.ts';

test('take confirms what it gave before, by list, and gives undefined at the end', async () => {
  const calls: HandlerCall[] = [];
  const answers = [
    { place: 3, item: 'a' },
    { place: 0, item: null },
    { place: 5, item: 'b' },
    null,
    { place: 9, item: 'c' },
  ];
  const lists = new Lists(async (call) => {
    calls.push(call);
    return answers.shift();
  });
  expect([
    await lists.take('one'),
    await lists.take('two'),
    await lists.take('one'),
    await lists.take('one'),
    await lists.take('one'),
  ]).toEqual(['a', null, 'b', undefined, 'c']);
  expect(calls.map((call) => call.call === 'list_take' && call.done)).toEqual([null, null, 3, 5, null]);
});

test('add goes out in pages, with how many came before', async () => {
  const sent: [number, number][] = [];
  const lists = new Lists(async (call) => {
    if (call.call !== 'list_add') return null;
    sent.push([call.first, call.items.length]);
    return call.items.length;
  });
  expect(await lists.list('files').add(Array.from({ length: 150 }, (_, index) => index))).toBe(150);
  expect(await lists.list('files').add(['last'])).toBe(1);
  expect(sent).toEqual([
    [0, 100],
    [100, 50],
    [150, 1],
  ]);
});
