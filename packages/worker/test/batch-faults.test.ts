import type { HandlerCall } from '@escapement/core';
import { finishRuns, requestCancel } from '@escapement/store';
import { by, eventually } from '@escapement/testkit';
import { expect, it } from 'vitest';
import { batchFleet, fanOut, results } from './batch-fleet.ts';

const fleet = await batchFleet();
await fleet.startWorker('worker-1', 10);
await fleet.startWorker('worker-2', 10);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

it('a parent that is tried again gets the same batch: no item is run twice', async () => {
  const ran: unknown[] = [];
  await fleet.define({ name: 'once' }, ({ payload }) => {
    ran.push(payload);
    return payload;
  });
  const batches: string[] = [];
  await fleet.define(
    { name: 'fails-twice', retry: { maxAttempts: 3, backoff: { kind: 'fixed', delayMs: 0 } } },
    async (context) => {
      const id = await fanOut(context, { task: 'once' }, numbers(20));
      batches.push(id);
      const outputs = [];
      for await (const { output } of results(context, id)) outputs.push(output);
      if (context.run.attempt < 3) throw new Error('not yet');
      return outputs;
    },
  );
  const over = fleet.ended('fails-twice');
  await fleet.trigger('fails-twice');
  await fleet.dispatchUntil(over);
  expect(new Set(batches).size).toBe(1);
  expect(batches).toHaveLength(3);
  expect(ran.map(Number).sort((a, b) => a - b)).toEqual(numbers(20));
});

it('of a parent that died while it gave its items, the next attempt gives them anew', async () => {
  const ran: unknown[] = [];
  await fleet.define({ name: 'from-start' }, ({ payload }) => {
    ran.push(payload);
    return undefined;
  });
  await fleet.define(
    { name: 'dies-filling', retry: { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: 0 } } },
    async (context) => {
      if (context.run.attempt === 2) return await fanOut(context, { task: 'from-start' }, numbers(5));
      const opened = await context.ask({
        call: 'batch_open',
        name: '1',
        task: 'from-start',
        order: 'none',
        onError: 'continue',
      });
      const { id } = opened as { id: string };
      await context.ask({ call: 'batch_add', batchId: id, first: 0, items: ['a', 'b'] });
      throw new Error('died');
    },
  );
  const over = fleet.ended('dies-filling');
  const id = await fleet.trigger('dies-filling');
  await fleet.dispatchUntil(over);
  await eventually(async () => expect(await fleet.batchOf(id)).toMatchObject({ state: 'done', total: 5 }), 10_000);
  expect(ran.map(Number).sort()).toEqual(numbers(5));
});

it('what a crash left is gone on with: ends that were noted and not counted, children not made', async () => {
  await fleet.define({ name: 'left' });
  await fleet.define({ name: 'leaves' }, (context) => fanOut(context, { task: 'left', order: 'series' }, numbers(3)));
  const id = await fleet.runToEnd('leaves');
  await eventually(async () => expect(await fleet.batchOf(id)).toMatchObject({ state: 'done', succeeded: 3 }), 10_000);
  const batch = await fleet.batchOf(id);
  await fleet.db.pool.query(
    `UPDATE batch SET state = 'running', ended_at = NULL, made = 2, succeeded = 1, total = 2, advanced_at = '-infinity' WHERE id = $1`,
    [batch.id],
  );
  await fleet.db.pool.query(`INSERT INTO batch_note (batch_id, state) VALUES ($1, 'failed')`, [batch.id]);
  await fleet.keeper.runOnce();
  expect(await fleet.batchOf(id)).toMatchObject({ state: 'done', succeeded: 1, failed: 1, left: 0 });
});

it('cancelling a parent cancels its children, and makes no more', async () => {
  const stopped: unknown[] = [];
  await fleet.define({ name: 'waits' }, async ({ signal, payload }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    stopped.push(payload);
    signal.throwIfAborted();
    return undefined;
  });
  let asked: () => void = () => undefined;
  const filled = new Promise<void>((resolve) => {
    asked = resolve;
  });
  await fleet.define({ name: 'cancelled-parent' }, async (context) => {
    const id = await fanOut(context, { task: 'waits', concurrency: 4 }, numbers(10));
    asked();
    for await (const _ of results(context, id)) context.signal.throwIfAborted();
    return undefined;
  });
  const id = await fleet.trigger('cancelled-parent');
  await filled;
  await eventually(async () =>
    expect(
      (await fleet.children((await fleet.batchOf(id)).id)).filter(({ state }) => state === 'running'),
    ).toHaveLength(4),
  );
  const ended = fleet.event('run_finished', ({ run }) => run === id);
  await requestCancel(fleet.db, id, by('ann'));
  expect((await ended).state).toBe('cancelled');
  const over = eventually(async () => expect((await fleet.batchOf(id)).state).toBe('cancelled'), 20_000);
  await fleet.dispatchUntil(over);
  expect(stopped).toHaveLength(4);
  const batch = await fleet.batchOf(id);
  expect(batch).toMatchObject({ made: 4, failed: 4, left: 6 });
  const [child] = await fleet.children(batch.id);
  expect(child).toMatchObject({ state: 'cancelled', reason: expect.stringContaining(`run ${id}`) });
});

it('a batch that was still being filled when its run ended is dropped', async () => {
  await fleet.define({ name: 'gives-up' }, async (context) => {
    await context.ask({ call: 'batch_open', name: 'x', task: 'left', order: 'none', onError: 'continue' });
    throw new Error('no');
  });
  const id = await fleet.runToEnd('gives-up');
  await fleet.keeper.runOnce();
  expect(await fleet.batchOf(id)).toMatchObject({ state: 'cancelled', made: 0 });
});

it('an attempt that was taken for lost adds nothing any more', async () => {
  const refusals: unknown[] = [];
  let held: () => void = () => undefined;
  let unblock: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    held = resolve;
  });
  const released = new Promise<void>((resolve) => {
    unblock = resolve;
  });
  await fleet.define({ name: 'lost-parent' }, async (context) => {
    const request = { call: 'batch_open', name: '1', task: 'left', order: 'none', onError: 'continue' } as const;
    const { id } = (await context.ask(request)) as { id: string };
    held();
    await released;
    const calls: HandlerCall[] = [
      request,
      { call: 'batch_add', batchId: id, first: 0, items: [1] },
      { call: 'batch_seal', batchId: id },
    ];
    for (const call of calls) refusals.push(await context.ask(call).catch((error) => error.code));
    return undefined;
  });
  const id = await fleet.trigger('lost-parent');
  await begun;
  const { rows } = await fleet.db.pool.query('SELECT * FROM run WHERE id = $1', [id]);
  const [run] = rows;
  await finishRuns(fleet.db, [
    {
      runId: id,
      scheduledFor: run.scheduled_for,
      seen: { state: 'running', dispatch: run.dispatch, attempt: run.attempt },
      fence: null,
      finishId: '00000000-0000-4000-8000-000000000001',
      verdict: { to: 'failed', reason: 'lost', lost: true, uncounted: false },
    },
  ]);
  const refused = fleet.event('finish_refused', (event) => event.run === id);
  unblock();
  await refused;
  expect(refusals).toEqual(['run_not_current', 'run_not_current', 'run_not_current']);
});

it('a task that fans out into itself comes to an end', { timeout: 60_000 }, async () => {
  let refused: unknown;
  let runs = 0;
  await fleet.define({ name: 'circle' }, async (context) => {
    runs += 1;
    await fanOut(context, { task: 'circle' }, [runs]).catch((error) => {
      refused = error;
    });
    return undefined;
  });
  const over = eventually(() => expect(refused).toMatchObject({ code: 'fan_out_too_deep' }), 50_000);
  await fleet.trigger('circle');
  await fleet.dispatchUntil(over);
  expect(runs).toBe(101);
});
