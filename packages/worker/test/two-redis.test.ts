import { type EngineEvent, systemClock } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { by, eventually, ownRedis } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { createWorker } from '../src/index.ts';

const fleet = await testFleet();
const leases = await ownRedis();

async function startWorker(executed: string[], until: Promise<void>) {
  const events: EngineEvent[] = [];
  const worker = createWorker({
    db: fleet.as.worker,
    redis: fleet.redis,
    leaseRedis: { url: leases.url, namespace: 'default', commandTimeoutMs: 1000 },
    process: {
      id: 'two',
      role: 'worker',
      host: 'test',
      pid: 1,
      appVersion: '0',
      pools: ['default'],
      offers: ['shell', 'code'],
    },
    concurrency: 5,
    leaseMs: 10_000,
    maxClockOffsetMs: 500,
    clock: systemClock,
    emit: (event) => void events.push(event),
    onError: () => undefined,
    handlers:
      () =>
      async ({ run }) => {
        executed.push(run.id);
        await until;
        return { status: 'succeeded' };
      },
  });
  onTestFinished(() => worker.stop(0));
  await worker.start();
  return { worker, events };
}

it('without the Redis of the leases runs under way end well, and the others start when it is back', async () => {
  const executed: string[] = [];
  let open: () => void = () => undefined;
  const { worker } = await startWorker(executed, new Promise((resolve) => (open = resolve)));
  const run = async (name: string) => {
    await fleet.save({ name });
    const id = await triggerTask(fleet.db, name, { by: by('test') });
    await fleet.dispatcher.runOnce();
    return id;
  };
  const first = await run('first');
  await eventually(() => expect(executed).toEqual([first]));
  const admin = new Redis(leases.url);
  expect(await admin.keys('*:lease:*')).toHaveLength(1);
  admin.disconnect();
  await leases.crash();
  await expect(worker.checkLeases()).rejects.toMatchObject({ code: 'redis_unreachable' });
  expect(await worker.checkQueue()).toMatchObject({ ok: true });
  const second = await run('second');
  open();
  await eventually(async () => expect(await fleet.runs('first')).toMatchObject([{ state: 'succeeded' }]));
  expect(executed).toEqual([first]);
  await leases.start();
  await eventually(async () => {
    await fleet.reconciler.runOnce();
    expect(executed).toContain(second);
  });
  await eventually(async () => expect(await fleet.runs('second')).toMatchObject([{ state: 'succeeded' }]));
});
