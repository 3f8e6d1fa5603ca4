import { systemClock } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import { afterFile, by, startProxy } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createWorker } from '../src/index.ts';

const fleet = await testFleet();

/** A worker behind a relay to Postgres. */
async function relayedWorker(id: string, pool: string, leaseMs: number) {
  const proxy = await startProxy(fleet.as.worker.url);
  const db = openDatabase({ url: proxy.url, applicationName: id });
  const heard: string[] = [];
  const worker = createWorker({
    db,
    redis: fleet.redis,
    process: {
      id,
      role: 'worker',
      host: 'test',
      pid: 1,
      appVersion: '0',
      pools: [pool],
      offers: ['shell', 'code'],
    },
    handlers: () => async () => ({ status: 'succeeded' }),
    concurrency: 20,
    leaseMs,
    maxClockOffsetMs: 500,
    clock: systemClock,
    emit: ({ event }) => heard.push(event),
    onError: () => undefined,
  });
  afterFile(() => db.close());
  afterFile(() => worker.stop(0));
  await worker.start();
  return { proxy, heard, worker };
}

it('leaves the runs of the queue to others while Postgres does not hear it (I6)', async () => {
  const { proxy, heard } = await relayedWorker('unheard', 'default', 2_000);
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

it.each(['skip', 'allow'] as const)(
  'a run (overlap: %s) that was looked up while Postgres was away is not interrupted when it is back',
  async (overlap) => {
    const { proxy, heard, worker } = await relayedWorker(`away-${overlap}`, `away-${overlap}`, 4_000);
    await fleet.save({ name: `looked-up-${overlap}`, pool: `away-${overlap}`, overlap });
    const runId = await triggerTask(fleet.db, `looked-up-${overlap}`, { by: by('ann') });
    proxy.reset();
    await fleet.dispatcher.runOnce();
    await expect.poll(() => heard, { timeout: 20_000 }).toContain('heartbeat_failing');
    proxy.pass();
    await expect.poll(() => heard, { timeout: 20_000 }).toContain('run_finished');
    await expect.poll(() => worker.active).toBe(0);
    const { rows } = await fleet.db.pool.query('SELECT state, attempt FROM run WHERE id = $1', [runId]);
    expect(rows).toEqual([{ state: 'succeeded', attempt: 1 }]);
  },
);
