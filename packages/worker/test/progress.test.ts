import { once } from 'node:events';
import type { Handler } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { findRun } from '@escapement/store';
import { by, lockRows } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createProgressWriter } from '../src/execute/progress-writer.ts';

const fleet = await testFleet();
const handlers = new Map<string, Handler>();
await fleet.startWorker(async (context) => {
  return (await handlers.get(context.run.taskName)?.(context)) ?? { status: 'succeeded' };
});

async function dispatched(task: string): Promise<string> {
  const id = await triggerTask(fleet.db, task, { by: by('test') });
  await fleet.dispatcher.runOnce();
  return id;
}

it('what a handler reports shows while it runs, in one write however often it reports', async () => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  handlers.set('copying', async ({ progress }) => {
    for (let done = 0; done <= 5000; done++) progress(done, 10_000, 'copying');
    await ended;
    return { status: 'succeeded' };
  });
  await fleet.save({ name: 'copying' });
  const started = fleet.event('run_started', (event) => event.task === 'copying');
  const id = await dispatched('copying');
  await started;
  await expect.poll(async () => (await findRun(fleet.db, id))?.progress?.done, { timeout: 20_000 }).toBe(5000);
  expect(await findRun(fleet.db, id)).toMatchObject({
    state: 'running',
    progress: { done: 5000, total: 10_000, note: 'copying', at: expect.any(Date) },
  });
  const finished = fleet.event('run_finished', (event) => event.task === 'copying');
  end();
  await finished;
  expect(await findRun(fleet.db, id)).toMatchObject({ state: 'succeeded', progress: { done: 5000 } });
});

it('a report is written once nothing else has its run locked, and not given up', async () => {
  let end: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    end = resolve;
  });
  handlers.set('locked', async () => {
    await asked;
    return { status: 'succeeded' };
  });
  await fleet.save({ name: 'locked' });
  const started = fleet.event('run_started', (event) => event.task === 'locked');
  const id = await dispatched('locked');
  await started;
  const run = await findRun(fleet.db, id);
  if (!run) throw new Error('the run is gone');
  const writer = createProgressWriter({ db: fleet.db, onError: (error) => expect.unreachable(String(error)) });
  const held = await lockRows(fleet.db.url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', [id]);
  const tried = once(fleet.db.hot, 'release');
  writer.report({ runId: id, scheduledFor: run.scheduledFor, attempt: 1 }, { done: 3, total: 4, note: null });
  await tried;
  expect((await findRun(fleet.db, id))?.progress).toBeNull();
  await held.release();
  await expect.poll(async () => (await findRun(fleet.db, id))?.progress?.done, { timeout: 20_000 }).toBe(3);
  await writer.stop();
  const finished = fleet.event('run_finished', (event) => event.task === 'locked');
  end();
  await finished;
});

it('a handler that falls silent is stopped and tried again as the policy says', async () => {
  handlers.set('silent', ({ run, signal }) => {
    if (run.attempt === 2) return Promise.resolve({ status: 'succeeded' });
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error(String(signal.reason))));
    });
  });
  const retry = { maxAttempts: 2, backoff: { kind: 'fixed' as const, delayMs: 0 } };
  await fleet.save({ name: 'silent', retry, heartbeatTimeoutMs: 1000 });
  const first = fleet.event('run_finished', (event) => event.task === 'silent');
  await dispatched('silent');
  expect(await first).toMatchObject({
    state: 'retrying',
    reason: 'its handler did not report within its heartbeat limit of 1 s',
  });
  const second = fleet.event('run_finished', (event) => event.task === 'silent');
  await fleet.dispatcher.runOnce();
  expect(await second).toMatchObject({ state: 'succeeded', attempt: 2 });
});

it('an http task that asks for a heartbeat limit is refused, and told why', async () => {
  const handler = { type: 'http', url: 'https://example.org' } as const;
  await expect(fleet.save({ name: 'http', handler, heartbeatTimeoutMs: 1000 })).rejects.toThrow(
    /heartbeatTimeoutMs: an http task cannot report that it lives/,
  );
});
