import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTask } from '../define-task.ts';
import { testTask } from './test-task.ts';

const download = defineTask({
  name: 'download',
  payload: z.object({ url: z.string() }),
  run: ({ url }) => ({ bytes: url.length }),
});

describe('testTask', () => {
  test('shows what is fanned out, and gives its children the results that the test says', async () => {
    const parent = defineTask({
      name: 'parent',
      async run(_, ctx) {
        const batch = await ctx.fanOut(download, [{ url: 'a' }, { url: 'bb' }], { order: 'start', join: 'report' });
        const bytes: (number | null)[] = [];
        for await (const { output } of batch.results()) bytes.push(output?.bytes ?? null);
        return { bytes, ...(await batch.progress()) };
      },
    });
    const { output, fannedOut } = await testTask(parent, {
      children: (_, index) => (index === 0 ? { output: { bytes: 1 } } : { state: 'failed', reason: 'no' }),
    });
    expect(output).toMatchObject({ bytes: [1, null], total: 2, succeeded: 1, failed: 1 });
    expect(fannedOut).toEqual([
      {
        id: '1',
        task: 'download',
        items: [{ url: 'a' }, { url: 'bb' }],
        order: 'start',
        onError: 'continue',
        join: 'report',
      },
    ]);
  });

  test('a task that joins reads the batch that the test gives', async () => {
    const join = defineTask({
      name: 'join',
      async run(_, ctx) {
        let sum = 0;
        for await (const { output } of ctx.batch<unknown, number>('b').results()) sum += output ?? 0;
        return sum;
      },
    });
    expect((await testTask(join, { batches: { b: [{ output: 1 }, { output: 2 }] } })).output).toBe(3);
    expect((await testTask(join)).error?.fields?.code).toBe('unknown_batch');
  });

  test('what is taken of a list is confirmed by the next take and by success, else it goes back', async () => {
    const takes = (fail: boolean) =>
      defineTask({
        name: 'takes',
        async run(_, ctx) {
          await ctx.take('files');
          await ctx.take('files');
          await ctx.list('done').add(['a']);
          if (fail) throw new Error('no');
        },
      });
    const lists = { files: ['a', 'b', 'c'] };
    expect((await testTask(takes(false), { lists })).lists).toEqual({ files: ['c'], done: ['a'] });
    expect((await testTask(takes(true), { lists })).lists).toEqual({ files: ['b', 'c'], done: ['a'] });
  });
});
