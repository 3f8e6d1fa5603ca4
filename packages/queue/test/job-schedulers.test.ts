import { randomUUID } from 'node:crypto';
import { systemClock } from '@escapement/core';
import { createJobSchedulers, type Repeat, type RepeatableJob } from '@escapement/queue';
import { eventually } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConnection, aConsumer, aRunQueue } from './support.ts';

const aRepeatableJob = (): RepeatableJob => ({ queue: 'default', taskId: randomUUID(), everyMs: 1000, phaseMs: 130 });

/** A consumer that notes its repeats, each with the time when it came. */
function aListener(url: string) {
  const repeats: (Repeat & { cameMs: number })[] = [];
  const executeRepeat = async (repeat: Repeat) => void repeats.push({ ...repeat, cameMs: systemClock.now().getTime() });
  return { repeats, ...aConsumer(url, { executeRepeat }) };
}

function aClient(url: string): Redis {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  return client;
}

test('a task is fired at each instant of its grid, once, never early', async () => {
  const { url } = await ownRedis();
  const schedulers = createJobSchedulers(aConnection(url));
  const repeatable = aRepeatableJob();
  const { repeats } = aListener(url);
  await schedulers.put([repeatable]);
  await schedulers.put([repeatable]);
  await eventually(() => expect(repeats.length).toBeGreaterThanOrEqual(4));
  const instants = repeats.map(({ scheduledFor }) => scheduledFor.getTime());
  expect(new Set(instants).size).toBe(instants.length);
  for (const { taskId, scheduledFor, cameMs } of repeats) {
    expect(taskId).toBe(repeatable.taskId);
    expect(scheduledFor.getTime() % 1000).toBe(130);
    expect(cameMs).toBeGreaterThanOrEqual(scheduledFor.getTime());
  }
});

test('after a flush it fires on the same grid, as soon as it is put back', async () => {
  const { url } = await ownRedis();
  const schedulers = createJobSchedulers(aConnection(url));
  const repeatable = aRepeatableJob();
  const { repeats } = aListener(url);
  await schedulers.put([repeatable]);
  await eventually(() => expect(repeats.length).toBeGreaterThanOrEqual(1));
  await aClient(url).flushdb();
  expect(await schedulers.list('default')).toEqual([]);
  const before = repeats.length;
  await schedulers.put([repeatable]);
  await eventually(() => expect(repeats.length).toBeGreaterThanOrEqual(before + 2));
  for (const { scheduledFor } of repeats) expect(scheduledFor.getTime() % 1000).toBe(130);
});

test('what is removed is gone, with its next repeat', async () => {
  const { url } = await ownRedis();
  const schedulers = createJobSchedulers(aConnection(url));
  const [one, other] = [aRepeatableJob(), aRepeatableJob()];
  await schedulers.put([one, other]);
  await schedulers.remove([one]);
  expect(await schedulers.list('default')).toEqual([{ ...other, sound: true }]);
  expect(await aRunQueue(url).counts(['default'])).toMatchObject({ default: { delayed: 1, repeats: 1 } });
});

test('one whose next repeat is gone, or lies beside its grid, is not sound', async () => {
  const { url } = await ownRedis();
  const schedulers = createJobSchedulers(aConnection(url));
  const [dead, moved] = [aRepeatableJob(), aRepeatableJob()];
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

test('a consumer that knows no repeats drops them with a word, and the next one comes all the same', async () => {
  const { url } = await ownRedis();
  const malformed: unknown[] = [];
  const { executed, errors } = aConsumer(url, { onMalformed: (job) => malformed.push(job) });
  await createJobSchedulers(aConnection(url)).put([aRepeatableJob()]);
  await eventually(() => expect(malformed.length).toBeGreaterThanOrEqual(2));
  expect(executed).toEqual([]);
  expect(errors).toEqual([]);
});
