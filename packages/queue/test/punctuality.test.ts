import { systemClock } from '@escapement/core';
import { eventually } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConsumer, aRun, aRunQueue } from './support.ts';

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

test('a run that is told when it is due is brought to be prepared, and no sooner', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  const aheadMs: number[] = [];
  const dueMs = new Map<string, number>();
  aConsumer(url, {
    prepareMs: 10,
    concurrency: 50,
    execute: async ({ runId }) => void aheadMs.push((dueMs.get(runId) ?? Number.NaN) - systemClock.now().getTime()),
  });
  // Alone, and some together in bundles.
  const delays = [
    ...Array.from({ length: 9 }, (_, i) => 200 + i * 40),
    ...Array.from({ length: 60 }, (_, i) => 700 + i),
  ];
  const nowMs = systemClock.now().getTime();
  const runs = delays.map((delayMs) => aRun({ delayMs, dueMs: nowMs + delayMs }));
  for (const run of runs) dueMs.set(run.runId, run.dueMs ?? Number.NaN);
  await queue.add(runs);
  await eventually(() => expect(aheadMs).toHaveLength(runs.length));
  expect(Math.max(...aheadMs)).toBeLessThanOrEqual(10);
});

test('a worker that stops gives a run that is not due yet to another', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  // By this worker's clock nothing is due for long.
  const first = aConsumer(url, { now: () => new Date(0) });
  const run = aRun({ delayMs: 30, dueMs: systemClock.now().getTime() + 30 });
  await queue.add([run]);
  await eventually(async () => expect((await queue.counts(['default'])).default?.active).toBe(1));
  await first.consumer.pause();
  const second = aConsumer(url);
  await eventually(() =>
    expect([...first.executed, ...second.executed].map(({ runId }) => runId)).toEqual([run.runId]),
  );
});

test('runs of a scheduler that is gone start all the same', async () => {
  const { url } = await ownRedis();
  const queue = aRunQueue(url);
  await queue.add([aRun({ delayMs: 300 })]);
  await queue.close();
  const { executed } = aConsumer(url);
  await eventually(() => expect(executed).toHaveLength(1));
});
