import { randomUUID } from 'node:crypto';
import { systemClock } from '@escapement/core';
import { createJobSchedulers, type Tick, type Ticking } from '@escapement/queue';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConnection, aConsumer, aRunQueue, eventually } from './support.ts';

const aTicking = (): Ticking => ({ pool: 'default', taskId: randomUUID(), everyMs: 1000, phaseMs: 130 });

/** A consumer that notes its ticks, each with the time when it came. */
function aListener(url: string) {
  const ticks: (Tick & { cameMs: number })[] = [];
  const executeTick = async (tick: Tick) => void ticks.push({ ...tick, cameMs: systemClock.now().getTime() });
  return { ticks, ...aConsumer(url, { executeTick }) };
}

function aClient(url: string): Redis {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  return client;
}

test('a task ticks at each instant of its grid, once, never early', async () => {
  const { url } = await ownRedis();
  const schedulers = createJobSchedulers(aConnection(url));
  const ticking = aTicking();
  const { ticks } = aListener(url);
  await schedulers.put([ticking]);
  await schedulers.put([ticking]);
  await eventually(() => expect(ticks.length).toBeGreaterThanOrEqual(4));
  const instants = ticks.map(({ scheduledFor }) => scheduledFor.getTime());
  expect(new Set(instants).size).toBe(instants.length);
  for (const { taskId, scheduledFor, cameMs } of ticks) {
    expect(taskId).toBe(ticking.taskId);
    expect(scheduledFor.getTime() % 1000).toBe(130);
    expect(cameMs).toBeGreaterThanOrEqual(scheduledFor.getTime());
  }
});

test('after a flush it ticks on the same grid, as soon as it is put back', async () => {
  const { url } = await ownRedis();
  const schedulers = createJobSchedulers(aConnection(url));
  const ticking = aTicking();
  const { ticks } = aListener(url);
  await schedulers.put([ticking]);
  await eventually(() => expect(ticks.length).toBeGreaterThanOrEqual(1));
  await aClient(url).flushdb();
  expect(await schedulers.list('default')).toEqual([]);
  const before = ticks.length;
  await schedulers.put([ticking]);
  await eventually(() => expect(ticks.length).toBeGreaterThanOrEqual(before + 2));
  for (const { scheduledFor } of ticks) expect(scheduledFor.getTime() % 1000).toBe(130);
});

test('what is removed is gone, with its next tick', async () => {
  const { url } = await ownRedis();
  const schedulers = createJobSchedulers(aConnection(url));
  const [one, other] = [aTicking(), aTicking()];
  await schedulers.put([one, other]);
  await schedulers.remove([one]);
  expect(await schedulers.list('default')).toEqual([{ ...other, sound: true }]);
  expect(await aRunQueue(url).counts(['default'])).toMatchObject({ default: { delayed: 1, ticks: 1 } });
});

test('one whose next tick is gone, or lies beside its grid, is not sound', async () => {
  const { url } = await ownRedis();
  const schedulers = createJobSchedulers(aConnection(url));
  const [dead, moved] = [aTicking(), aTicking()];
  await schedulers.put([dead, moved]);
  const client = aClient(url);
  const key = 'esc:{test:default}:default:repeat';
  const [deadId = '', movedId = ''] = [dead, moved].map(({ taskId }) => `t_${taskId}_1000_130`);
  const past = Math.floor(systemClock.now().getTime() / 1000) * 1000 - 60_000;
  await client.zadd(key, past + 130, deadId, past + 3_600_000, movedId);
  const found = await schedulers.list('default');
  expect(found.map(({ sound }) => sound)).toEqual([false, false]);
  await schedulers.remove(found);
  await schedulers.put([dead, moved]);
  expect((await schedulers.list('default')).map(({ sound }) => sound)).toEqual([true, true]);
});

test('a consumer that knows no ticks drops them with a word, and the next one comes all the same', async () => {
  const { url } = await ownRedis();
  const malformed: unknown[] = [];
  const { executed, errors } = aConsumer(url, { onMalformed: (job) => malformed.push(job) });
  await createJobSchedulers(aConnection(url)).put([aTicking()]);
  await eventually(() => expect(malformed.length).toBeGreaterThanOrEqual(2));
  expect(executed).toEqual([]);
  expect(errors).toEqual([]);
});
