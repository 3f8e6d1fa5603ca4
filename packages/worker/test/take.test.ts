import { callAnswers, type HandlerContext, type Json } from '@escapement/core';
import { addToList, finishRuns, workItems } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, it } from 'vitest';
import { batchFleet } from './batch-fleet.ts';

const fleet = await batchFleet();
for (let count = 1; count <= 5; count++) await fleet.startWorker(`worker-${count}`, 2);

/** What `ctx.take` of the SDK does. */
function taker({ ask }: HandlerContext, list: string) {
  let done: number | null = null;
  return async () => {
    const taken = callAnswers.list_take.parse(await ask({ call: 'list_take', list, done }));
    done = taken?.place ?? null;
    return taken;
  };
}

async function fill(list: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += 1000)
    await addToList(
      fleet.db,
      list,
      Array.from({ length: Math.min(1000, count - first) }, (_, index) => first + index),
      by('test'),
    );
}

it('ten takers: each item once, no gap, ascending for each taker; those of one that failed go back', {
  timeout: 120_000,
}, async () => {
  const ITEMS = 2000;
  await fill('shared', ITEMS);
  const taken: number[][] = [];
  await fleet.define(
    { name: 'takes', overlap: 'allow', retry: { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: 0 } } },
    async (context) => {
      const take = taker(context, 'shared');
      const mine: number[] = [];
      taken.push(mine);
      for (let item = await take(); item; item = await take()) {
        // The first to come this far fails with an item in hand.
        if (Number(item.item) === ITEMS / 2) {
          if (context.run.attempt === 1 && !taken.flat().includes(-1)) {
            mine.push(-1);
            throw new Error('failed');
          }
        }
        mine.push(Number(item.item));
      }
      return undefined;
    },
  );
  const ends = Array.from({ length: 10 }, async () => fleet.runToEnd('takes'));
  await fleet.dispatchUntil(Promise.all(ends));
  const items = taken.map((mine) => mine.filter((item) => item >= 0));
  expect(items.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: ITEMS }, (_, index) => index));
  // Apart from the one that came back.
  for (const mine of items) {
    const own = mine.filter((item) => item !== ITEMS / 2);
    expect(own).toEqual([...own].sort((a, b) => a - b));
  }
  expect((await workItems(fleet.db, 'shared', { limit: 10 })).items).toEqual([]);
});

it('an item is held until the next is taken or the run has succeeded, and given again to who did not hear', async () => {
  await fill('held', 3);
  const seen: Json[] = [];
  await fleet.define({ name: 'holds' }, async (context) => {
    const first = await context.ask({ call: 'list_take', list: 'held', done: null });
    // As after an answer that was lost.
    const again = await context.ask({ call: 'list_take', list: 'held', done: null });
    expect(again).toEqual(first);
    seen.push(
      (await workItems(fleet.db, 'held', { limit: 10 })).items.filter(({ runId }) => runId === context.run.id).length,
    );
    await context.ask({ call: 'list_take', list: 'held', done: 0 });
    seen.push((await workItems(fleet.db, 'held', { limit: 10 })).items.map(({ place }) => place));
    return undefined;
  });
  await fleet.runToEnd('holds');
  expect(seen).toEqual([1, [1, 2]]);
  expect((await workItems(fleet.db, 'held', { limit: 10 })).items.map(({ place, runId }) => [place, runId])).toEqual([
    [2, null],
  ]);
});

it('a run adds to a list, and its retry adds nothing twice', async () => {
  await fleet.define(
    { name: 'adds', retry: { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: 0 } } },
    async ({ ask, run }) => {
      await ask({ call: 'list_add', list: 'added', first: 0, items: ['a', 'b'] });
      if (run.attempt === 1) throw new Error('died');
      return Number(await ask({ call: 'list_add', list: 'added', first: 2, items: ['c'] }));
    },
  );
  await fleet.dispatchUntil(fleet.runToEnd('adds'));
  expect((await workItems(fleet.db, 'added', { limit: 10 })).items.map(({ item }) => item)).toEqual(['a', 'b', 'c']);
});

it('an empty list gives nothing', async () => {
  const seen: unknown[] = [];
  await fleet.define({ name: 'finds-nothing' }, async (context) => {
    seen.push(await taker(context, 'empty')());
    return undefined;
  });
  await fleet.runToEnd('finds-nothing');
  expect(seen).toEqual([null]);
});

it('an item whose taker was lost is the next one, and who was lost takes no more', async () => {
  await fill('lost', 3);
  let reached: () => void = () => undefined;
  let unblock: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const released = new Promise<void>((resolve) => {
    unblock = resolve;
  });
  let refused: unknown;
  await fleet.define({ name: 'loses' }, async (context) => {
    const take = taker(context, 'lost');
    expect((await take())?.item).toBe(0);
    reached();
    await released;
    refused = await take().catch((error) => error.code);
    return undefined;
  });
  const id = await fleet.trigger('loses');
  await begun;
  const { rows } = await fleet.db.pool.query('SELECT scheduled_for, dispatch FROM run WHERE id = $1', [id]);
  await finishRuns(fleet.db, [
    {
      runId: id,
      scheduledFor: rows[0].scheduled_for,
      seen: { state: 'running', dispatch: rows[0].dispatch, attempt: 1 },
      fence: null,
      finishId: '00000000-0000-4000-8000-000000000002',
      verdict: { to: 'quarantined', reason: 'its worker vanished', lost: true, uncounted: true },
    },
  ]);
  const seen: Json[] = [];
  await fleet.define({ name: 'finds' }, async (context) => {
    const take = taker(context, 'lost');
    for (let taken = await take(); taken; taken = await take()) seen.push(taken.item);
    return undefined;
  });
  await fleet.runToEnd('finds');
  expect(seen).toEqual([0, 1, 2]);
  const over = fleet.event('finish_refused', ({ run }) => run === id);
  unblock();
  await over;
  expect(refused).toBe('run_not_current');
});
