import type { HandlerCall, HandlerOutcome, Json } from '@escapement/core';
import { systemClock, taskDefinition } from '@escapement/core';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineTask, type TaskModule } from '../define-task.ts';
import { runTask } from '../run-task.ts';
import type { TaskContext } from '../task-context.ts';
import { testRunInfo } from '../testing/test-run-info.ts';

const ID = '01941f29-7c00-7000-8000-000000000000';
const download = defineTask({
  name: 'download',
  payload: z.object({ url: z.string() }),
  run: async ({ url }) => ({ bytes: url.length, at: new Date(0) }),
});

/** A worker that keeps one batch in memory. */
function worker({ state = 'filling', key = null as string | null } = {}) {
  const calls: HandlerCall[] = [];
  const items: Json[] = [];
  const counts = { made: 0, succeeded: 0, skipped: 0, failed: 0, left: 0, total: 0, reason: null };
  async function ask(call: HandlerCall): Promise<unknown> {
    calls.push(call);
    if (call.call === 'batch_open') return { id: ID, state, key, ...counts };
    if (call.call === 'batch_add') items.push(...call.items);
    if (call.call !== 'batch_results')
      return call.call === 'batch_seal' ? { id: ID, state: 'running', ...counts } : null;
    const results = items.slice(call.from, call.from + 2).map((item, place) => ({
      index: call.from + place,
      id: ID,
      state: 'succeeded',
      reason: null,
      item,
      output: { bytes: call.from + place },
    }));
    return { results, over: call.from + results.length >= items.length };
  }
  return { calls, items, ask };
}

async function attempt(
  ask: (call: HandlerCall) => Promise<unknown>,
  run: (ctx: TaskContext) => unknown,
): Promise<HandlerOutcome> {
  const task = defineTask({ name: 'parent', run: (_, ctx) => run(ctx) }) as TaskModule;
  return await runTask(
    task,
    {
      run: testRunInfo(taskDefinition.parse(task.toDefinition()), undefined, { now: new Date(0), given: {} }),
      payload: undefined,
      signal: new AbortController().signal,
      log: { write: () => undefined },
      heartbeat: () => undefined,
      progress: () => undefined,
      ask,
    },
    systemClock,
  );
}

test('items of any iterable go out in pages, and results come back in their order, typed by the task', async () => {
  const { ask, calls, items } = worker();
  async function* urls() {
    for (let n = 0; n < 250; n++) yield { url: `u${n}` };
  }
  const outcome = await attempt(ask, async (ctx) => {
    const batch = await ctx.fanOut(download, urls(), { concurrency: 5 });
    const seen: number[] = [];
    for await (const { item, output } of batch.results()) {
      expectTypeOf(item).toEqualTypeOf<{ url: string }>();
      expectTypeOf(output).toEqualTypeOf<{ bytes: number; at: string } | null>();
      seen.push(output?.bytes ?? -1);
    }
    return seen.length;
  });
  expect(outcome).toEqual({ status: 'succeeded', output: 250 });
  expect(items).toEqual(Array.from({ length: 250 }, (_, n) => ({ url: `u${n}` })));
  expect(calls.filter(({ call }) => call === 'batch_add')).toHaveLength(3);
});

test('a batch that an earlier attempt has given its items is not filled again', async () => {
  const { ask, calls } = worker({ state: 'running' });
  const never: Iterable<{ url: string }> = {
    [Symbol.iterator]() {
      throw new Error('read');
    },
  };
  expect(await attempt(ask, async (ctx) => (await ctx.fanOut(download, never)).id)).toMatchObject({ output: ID });
  expect(calls.map(({ call }) => call)).toEqual(['batch_open']);
});

test('a run does not succeed before a batch that it did not wait for has its items', async () => {
  const { ask, calls } = worker();
  const outcome = await attempt(ask, (ctx) => void ctx.fanOut('by-name', [1, 2]));
  expect(outcome.status).toBe('succeeded');
  expect(calls.at(-1)).toEqual({ call: 'batch_seal', batchId: ID });
});

test.each([
  [
    'an item that does not fit',
    (ctx: TaskContext) => Reflect.apply(ctx.fanOut, undefined, [download, [{ url: 1 }]]),
    'payload_invalid',
  ],
  [
    'one id twice',
    async (ctx: TaskContext) => {
      await ctx.fanOut('x', [], { id: 'a' });
      await ctx.fanOut('x', [], { id: 'a' });
    },
    'batch_twice',
  ],
  ['an item without the field of the key', (ctx: TaskContext) => ctx.fanOut('x', [{ other: 1 }]), 'unknown_key_field'],
])('%s fails the run and says so', async (_, run, code) => {
  const { ask, calls } = worker({ key: 'k:{{payload.kind}}' });
  expect(await attempt(ask, run)).toMatchObject({ status: 'failed', error: { fields: { code } } });
  expect(calls.map(({ call }) => call)).not.toContain('batch_add');
});

test('the types of items are those of the task', () => {
  // @ts-expect-error url is missing
  const bad = (ctx: TaskContext) => ctx.fanOut(download, [{ link: 'x' }]);
  expect(bad).toBeTypeOf('function');
});
