import type { Json } from '@escapement/core';
import { renameTask } from '@escapement/operations';
import { by, eventually } from '@escapement/testkit';
import { expect, it } from 'vitest';
import { batchFleet, fanOut, results } from './batch-fleet.ts';

const fleet = await batchFleet();
await fleet.startWorker('worker-1', 3);
await fleet.startWorker('worker-2', 3);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

it('a batch runs its task once for each item, and is joined when all have ended', async () => {
  const seen: Json[] = [];
  let joined: Json | undefined;
  await fleet.define({ name: 'double' }, ({ payload }) => {
    seen.push(payload ?? null);
    return Number(payload) * 2;
  });
  const outputs: Json[] = [];
  await fleet.define({ name: 'join' }, async (context) => {
    joined = context.payload;
    const { batchId } = context.payload as { batchId: string };
    for await (const { output } of results(context, batchId)) outputs.push(output);
    return undefined;
  });
  await fleet.define({ name: 'parent' }, (context) => fanOut(context, { task: 'double', join: 'join' }, numbers(250)));
  const over = fleet.ended('join');
  const id = await fleet.runToEnd('parent');
  await fleet.dispatchUntil(over);
  expect(seen.map(Number).sort((a, b) => a - b)).toEqual(numbers(250));
  const batch = await fleet.batchOf(id);
  expect(batch).toMatchObject({ state: 'done', total: 250, made: 250, succeeded: 250, failed: 0, left: 0 });
  expect(joined).toEqual({ batchId: batch.id, total: 250, succeeded: 250, skipped: 0, failed: 0, left: 0 });
  expect(outputs).toEqual(numbers(250).map((each) => each * 2));
});

it('a join that is renamed while the children run joins them all the same', async () => {
  await fleet.define({ name: 'join-before' });
  await fleet.define({ name: 'rename-join' }, async () => {
    await renameTask(fleet.db, 'join-before', 'join-after', { by: by('test') });
  });
  const over = fleet.ended('join-after');
  await fleet.define({ name: 'parent-of-it' }, (context) =>
    fanOut(context, { task: 'rename-join', join: 'join-before' }, numbers(1)),
  );
  await fleet.runToEnd('parent-of-it');
  await fleet.dispatchUntil(over);
});

it('results come in the order of the items, and a parent that waits starves nobody', async () => {
  await fleet.define({ name: 'slow-first' }, async ({ payload }) => {
    await new Promise((resolve) => setTimeout(resolve, 20 - 2 * Number(payload)));
    return payload;
  });
  const outputs: Json[] = [];
  // As many parents as the workers have places, all at once.
  await fleet.define({ name: 'waiting-parent', overlap: 'allow' }, async (context) => {
    const id = await fanOut(context, { task: 'slow-first' }, numbers(10));
    const mine: Json[] = [];
    for await (const { output } of results(context, id)) mine.push(output);
    outputs.push(mine);
    return undefined;
  });
  for (let count = 0; count < 6; count++) await fleet.trigger('waiting-parent');
  await eventually(() => expect(outputs).toEqual(Array.from({ length: 6 }, () => numbers(10))), 20_000);
});

it('after a failure no more children are made under onError stop, and the join is told what is left', async () => {
  await fleet.define({ name: 'fails-third' }, ({ payload }) => {
    if (payload === 2) throw new Error('no');
    return undefined;
  });
  let joined: Json | undefined;
  await fleet.define({ name: 'join-failed' }, ({ payload }) => {
    joined = payload;
    return undefined;
  });
  await fleet.define({ name: 'stopping-parent' }, (context) =>
    fanOut(context, { task: 'fails-third', join: 'join-failed', onError: 'stop', order: 'series' }, numbers(10)),
  );
  const over = fleet.ended('join-failed');
  const id = await fleet.runToEnd('stopping-parent');
  await fleet.dispatchUntil(over);
  expect(joined).toMatchObject({ total: 10, succeeded: 2, failed: 1, left: 7 });
  expect(await fleet.batchOf(id)).toMatchObject({ state: 'done', made: 3, reason: 'an item has failed' });
});

it('an empty batch is joined at once', async () => {
  let joined: Json | undefined;
  await fleet.define({ name: 'join-nothing' }, ({ payload }) => {
    joined = payload;
    return undefined;
  });
  await fleet.define({ name: 'empty-parent' }, (context) =>
    fanOut(context, { task: 'double', join: 'join-nothing' }, []),
  );
  const over = fleet.ended('join-nothing');
  await fleet.runToEnd('empty-parent');
  await fleet.dispatchUntil(over);
  expect(joined).toMatchObject({ total: 0, succeeded: 0, left: 0 });
});

it.each([
  ['a task that does not exist', { task: 'nowhere' }, 'unknown_task'],
  ['a join that does not exist', { task: 'double', join: 'nowhere' }, 'unknown_task'],
  ['series side by side', { task: 'double', order: 'series', concurrency: 2 }, 'bad_order'],
  ['an order of starts under many keys', { task: 'double', order: 'start', key: 'k:{{payload.a}}' }, 'bad_order'],
] as const)('%s is refused', async (what, request, code) => {
  let refused: unknown;
  await fleet.define({ name: `refused: ${what}`.replaceAll(/[ :]+/g, '-') }, async (context) => {
    refused = await fanOut(context, request, [1]).catch((error) => error);
    return undefined;
  });
  await fleet.runToEnd(`refused: ${what}`.replaceAll(/[ :]+/g, '-'));
  expect(refused).toMatchObject({ code });
});
