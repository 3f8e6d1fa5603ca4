import { newRunId } from '@escapement/core';
import { createQueueContents } from '@escapement/queue';
import { expect, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConnection, aConsumer, aRun, aRunQueue, eventually } from './support.ts';

test('runs that wait go by priority, the highest first, and equal ones in the order in which they came', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const named = (runId: string, priority: number, delayMs = 0) => aRun({ runId, priority, delayMs });
  await queue.add([named('a', 0), named('b', 50), named('c', 100), named('d', 50), named('e', 0)]);
  await queue.add([named('f', 100, 20)]);
  await eventually(async () => expect(await queue.counts(['default'])).toMatchObject({ default: { waiting: 6 } }));
  const { executed } = aConsumer(url, { concurrency: 1 });
  await eventually(() => expect(executed.map(({ runId }) => runId).join('')).toBe('cfbdae'));
});

test('what waits with a priority is found: it is neither lost nor nowhere', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const contents = createQueueContents(aConnection(url));
  const runs = [7, 8].map((priority) => aRun({ runId: newRunId(new Date(priority)), priority }));
  await queue.add(runs);
  expect(await contents.places(runs)).toEqual([{ at: 'waiting' }, { at: 'waiting' }]);
  const { jobs, next } = await contents.page('default', { list: 'prioritized', from: 0 }, 10);
  expect(jobs.map(({ runId }) => runId)).toEqual(runs.map(({ runId }) => runId).reverse());
  expect(next).toEqual({ list: 'delayed', from: 0 });
  await queue.remove(runs);
  expect(await contents.places(runs)).toEqual([{ at: 'gone' }, { at: 'gone' }]);
});
