import { type HandlerCall, systemClock } from '@escapement/core';
import { expect, test } from 'vitest';
import { record } from '../../test/context.ts';
import { maskedHandler } from './masked-handler.ts';

test('neither log, progress nor output of a handler shows a secret, also where it is cut in two', async () => {
  const { context, logged, progress } = record({ type: 'shell', command: 'true' });
  const run = maskedHandler(
    async ({ log, progress: report }) => {
      log.write('a hun');
      log.write('ter22 b');
      report(1, 2, 'at hunter22');
      return { status: 'succeeded', output: 'hunter22' };
    },
    ['hunter22'],
    systemClock,
  );
  expect(await run(context)).toEqual({ status: 'succeeded', output: '***' });
  expect(logged()).toBe('a *** b');
  expect(progress()).toEqual([1, 2, 'at ***']);
});

test('what a handler that throws had begun to write is written, and its error is masked', async () => {
  const { context, logged } = record({ type: 'shell', command: 'true' });
  const run = maskedHandler(
    async ({ log }) => {
      log.write('hunt');
      throw new Error('boom hunter22');
    },
    ['hunter22'],
    systemClock,
  );
  expect(await run(context)).toMatchObject({ status: 'failed', error: { message: 'boom ***' } });
  expect(logged()).toBe('hunt');
});

test.each<[string, HandlerCall]>([
  ['an item for list a', { call: 'list_add', list: 'a', first: 0, items: [1, { deep: ['x hunter22'] }] }],
  ['an item of a batch', { call: 'batch_add', batchId: 'b', first: 0, items: [{ hunter22: 1 }] }],
  [
    'what the handler asks for',
    { call: 'batch_open', name: 'hunter22', task: 'b', order: 'none', onError: 'continue' },
  ],
])('%s with a secret in it is refused, as others would be handed it', async (place, call) => {
  const asked: HandlerCall[] = [];
  const { context } = record({ type: 'shell', command: 'true' }, undefined, (each) => asked.push(each));
  const ask = (secrets: string[]) =>
    maskedHandler(
      async (given) => {
        await given.ask(call);
        return { status: 'succeeded' };
      },
      secrets,
      systemClock,
    )(context);
  expect(await ask(['hunter22'])).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining(`${place} holds the value of a secret`) },
  });
  expect(asked).toEqual([]);
  expect(await ask(['other'])).toEqual({ status: 'succeeded' });
  expect(asked).toEqual([call]);
});
