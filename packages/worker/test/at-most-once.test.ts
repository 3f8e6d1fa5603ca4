import type { Handler } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
const handlers = new Map<string, Handler>();
const calls: string[] = [];
const handler: Handler = async (context) => {
  calls.push(context.run.taskName);
  return (await handlers.get(context.run.taskName)?.(context)) ?? { status: 'succeeded' };
};
const worker = await fleet.startWorker(handler);

const ONCE = { delivery: 'at-most-once', retry: { maxAttempts: 3, backoff: { kind: 'fixed', delayMs: 0 } } } as const;

/** Rejects when it is stopped, as a handler does that passes its signal on. */
const untilStopped: Handler = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('stopped')));
  });

/** Runs a task once by hand and returns what became of it. */
async function ran(task: string) {
  const finished = fleet.event('run_finished', (event) => event.task === task);
  await triggerTask(fleet.db, task, { by: by('test') });
  await fleet.dispatcher.runOnce();
  return await finished;
}

it('what the handler itself reports as failed is tried again', async () => {
  handlers.set('reported', async ({ run }) => {
    if (run.attempt === 1) throw new Error('not now');
    return { status: 'succeeded' };
  });
  await fleet.save({ name: 'reported', ...ONCE });
  expect(await ran('reported')).toMatchObject({ state: 'retrying', reason: 'not now' });
  const finished = fleet.event('run_finished', (event) => event.task === 'reported');
  await fleet.dispatcher.runOnce();
  expect(await finished).toMatchObject({ state: 'succeeded', attempt: 2 });
});

it('what was cut off by its time limit is unknown, and not started again', async () => {
  handlers.set('endless', untilStopped);
  await fleet.save({ name: 'endless', ...ONCE, timeoutMs: 100 });
  expect(await ran('endless')).toMatchObject({
    state: 'unknown',
    reason: expect.stringMatching(/^ran longer than its time limit of 100 ms; .*at-most-once/),
  });
  await fleet.dispatcher.runOnce();
  expect(calls.filter((task) => task === 'endless')).toHaveLength(1);
});

it('a handler whose process was killed by others has not reported that it failed', async () => {
  const error = { name: 'ProcessFailed', message: 'was killed by SIGKILL' };
  handlers.set('killed', async () => ({ status: 'failed', error, work: 'cut_off' }));
  await fleet.save({ name: 'killed', ...ONCE });
  expect(await ran('killed')).toMatchObject({ state: 'unknown', reason: expect.stringContaining('SIGKILL') });
});

it('a job that is delivered twice starts no second attempt, neither while it runs nor once it is unknown', async () => {
  handlers.set('twice', untilStopped);
  await fleet.save({ name: 'twice', ...ONCE, timeoutMs: 300 });
  const other = await fleet.startWorker(handler);
  const started = fleet.event('run_started', (event) => event.task === 'twice');
  const finished = fleet.event('run_finished', (event) => event.task === 'twice');
  const id = await triggerTask(fleet.db, 'twice', { by: by('test') });
  await fleet.dispatcher.runOnce();
  await started;
  const again = async (run: string) => {
    // Under the id of the first job, and under another.
    await fleet.queue.add([{ queue: 'default+shell', runId: run, dispatch: 1, delayMs: 0 }]);
    await fleet.queue.add([{ queue: 'default+shell', runId: run, dispatch: 2, delayMs: 0 }]);
  };
  await again(id);
  expect(await finished).toMatchObject({ state: 'unknown' });
  await again(id);
  await fleet.save({ name: 'after' });
  expect(await ran('after')).toMatchObject({ state: 'succeeded' });
  expect(calls.filter((task) => task === 'twice')).toHaveLength(1);
  await other.stop(0);
});

it('what a shutdown cut off is unknown', async () => {
  handlers.set('stopping', untilStopped);
  await fleet.save({ name: 'stopping', ...ONCE });
  const started = fleet.event('run_started', (event) => event.task === 'stopping');
  const finished = fleet.event('run_finished', (event) => event.task === 'stopping');
  await triggerTask(fleet.db, 'stopping', { by: by('test') });
  await fleet.dispatcher.runOnce();
  await started;
  await worker.stop(0);
  expect(await finished).toMatchObject({ state: 'unknown', reason: expect.stringContaining('shutdown') });
});
