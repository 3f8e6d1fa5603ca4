import { systemClock } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import { afterFile, by, startProxy } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createWorker } from '../src/index.ts';

const fleet = await testFleet();

it('leaves the runs of the queue to others while Postgres does not hear it (I6)', async () => {
  const proxy = await startProxy(fleet.as.worker.url);
  const db = openDatabase({ url: proxy.url, applicationName: 'unheard' });
  const heard: string[] = [];
  const worker = createWorker({
    db,
    redis: fleet.redis,
    process: {
      id: 'unheard',
      role: 'worker',
      host: 'test',
      pid: 1,
      appVersion: '0',
      pools: ['default'],
      offers: ['shell', 'code'],
    },
    handlers: () => async () => ({ status: 'succeeded' }),
    concurrency: 20,
    leaseMs: 2_000,
    maxClockOffsetMs: 500,
    clock: systemClock,
    emit: ({ event }) => heard.push(event),
    onError: () => undefined,
  });
  afterFile(() => db.close());
  afterFile(() => worker.stop(0));
  await worker.start();
  await fleet.save({ name: 'left-to-others' });
  proxy.hole();
  await expect.poll(() => heard, { timeout: 10_000 }).toContain('heartbeat_failing');
  const runId = await triggerTask(fleet.db, 'left-to-others', { by: by('ann') });
  await fleet.dispatcher.runOnce();
  const finished = fleet.event('run_finished', ({ run }) => run === runId);
  await fleet.startWorker(async () => ({ status: 'succeeded' }));
  expect(await finished).toMatchObject({ state: 'succeeded', attempt: 1 });
  proxy.pass();
  await expect.poll(() => heard, { timeout: 10_000 }).toContain('heartbeat_ok');
});
