import { expect, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConsumer, aRun, aRunQueue, eventually } from './support.ts';

test('who added a delayed run makes it ready when it is due; BullMQ would only do it when a worker looks', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  await queue.add([aRun({ delayMs: 100 }), aRun({ delayMs: 300 }), aRun({ delayMs: 60_000 })]);
  await eventually(async () =>
    expect(await queue.counts(['default'])).toEqual({
      default: { waiting: 2, delayed: 1, active: 0, repeats: 0, bundled: 0 },
    }),
  );
});

test('no run starts before it is due', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const dueMs = new Map<string, number>();
  const lateMs: number[] = [];
  aConsumer(url, {
    execute: async ({ runId }) => void lateMs.push(performance.now() - (dueMs.get(runId) ?? Number.NaN)),
  });
  const runs = Array.from({ length: 200 }, (_, i) => aRun({ delayMs: 200 + i * 3.3 }));
  const startedMs = performance.now();
  for (const { runId, delayMs } of runs) dueMs.set(runId, startedMs + delayMs);
  await queue.add(runs);
  await eventually(() => expect(lateMs).toHaveLength(200));
  expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
});

test('runs of a scheduler that is gone start all the same', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  await queue.add([aRun({ delayMs: 300 })]);
  await queue.close();
  const { executed } = aConsumer(url);
  await eventually(() => expect(executed).toHaveLength(1));
});
