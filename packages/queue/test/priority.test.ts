import { ManualClock, newRunId } from '@escapement/core';
import { createQueueContents, letBurstsStepBack, MAX_IN_WINDOW, WINDOW_MS } from '@escapement/queue';
import { eventually } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConnection, aConsumer, aRun, aRunQueue } from './support.ts';

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

test('what is due after a burst goes before the tail of it, and all of it comes', async () => {
  const { url } = await ownRedis();
  const clock = new ManualClock();
  const queue = letBurstsStepBack(aRunQueue(url), { clock });
  const tail = 40;
  const burst = Array.from({ length: MAX_IN_WINDOW + tail }, (_, index) =>
    aRun({ runId: `burst-${index}`, delayMs: 0 }),
  );
  await queue.add(burst);
  clock.advance(WINDOW_MS);
  await queue.add([aRun({ runId: 'other', delayMs: 0 })]);
  const { executed } = aConsumer(url, { concurrency: 1 });
  await eventually(() => expect(executed).toHaveLength(burst.length + 1), 20_000);
  const order = executed.map(({ runId }) => runId);
  expect(order.indexOf('other')).toBe(MAX_IN_WINDOW);
  expect(new Set(order).size).toBe(order.length);
  expect(order.slice(-tail)).toEqual(burst.slice(-tail).map(({ runId }) => runId));
});

test('the tail of a burst keeps its priority among others', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const named = (runId: string, priority: number, stepsBack = false) =>
    aRun({ runId, priority, stepsBack, delayMs: 0 });
  await queue.add([named('a', 50, true), named('b', 50), named('c', 40), named('d', 51, true), named('e', 51)]);
  const { executed } = aConsumer(url, { concurrency: 1 });
  await eventually(() => expect(executed.map(({ runId }) => runId).join('')).toBe('edbac'));
});
