import { type Handler, MINUTE } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { requestCancel } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
const handlers = new Map<string, Handler>();
await fleet.startWorker(async (context) => {
  const handler = handlers.get(context.run.taskName);
  return handler ? await handler(context) : { status: 'succeeded' };
});

const ANN = by('ann', 'wrong payload');

/** Triggers a task; the run is in the queue or under way. */
async function dispatched(task: string): Promise<string> {
  const id = await triggerTask(fleet.db, task, { by: by('ann') });
  await fleet.dispatcher.runOnce();
  return id;
}

it('a running handler sees its AbortSignal, and the row names who asked and why', async () => {
  let reason: unknown;
  handlers.set(
    'running',
    ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          reject(new Error('stopped'));
        });
      }),
  );
  const retry = { maxAttempts: 3, backoff: { kind: 'fixed' as const, delayMs: 0 } };
  await fleet.save({ name: 'running', retry });
  const started = fleet.event('run_started', (event) => event.task === 'running');
  const finished = fleet.event('run_finished', (event) => event.task === 'running');
  const id = await dispatched('running');
  await started;
  expect(await requestCancel(fleet.db, id, ANN)).toEqual({ kind: 'requested' });
  expect(await finished).toMatchObject({ state: 'cancelled', attempt: 1 });
  expect(reason).toBe('cancelled');
  expect(await fleet.runs('running')).toMatchObject([
    { state: 'cancelled', reason: 'cancelled by ann while running: wrong payload' },
  ]);
});

it('a handler that succeeds in spite of it has succeeded', async () => {
  handlers.set(
    'deaf',
    ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ status: 'succeeded' }));
      }),
  );
  await fleet.save({ name: 'deaf' });
  const started = fleet.event('run_started', (event) => event.task === 'deaf');
  const finished = fleet.event('run_finished', (event) => event.task === 'deaf');
  const id = await dispatched('deaf');
  await started;
  await requestCancel(fleet.db, id, ANN);
  expect(await finished).toMatchObject({ state: 'succeeded' });
});

it('a queued run that is cancelled never starts', async () => {
  await fleet.save({ name: 'queued' });
  await fleet.save({ name: 'after' });
  const id = await triggerTask(fleet.db, 'queued', { by: by('ann') });
  await fleet.db.pool.query(`UPDATE run SET due_at = now() + interval '3 s' WHERE id = $1`, [id]);
  await fleet.dispatcher.runOnce();
  expect(await requestCancel(fleet.db, id, ANN)).toEqual({ kind: 'cancelled' });
  const after = fleet.event('run_finished', (event) => event.task === 'after');
  const next = await triggerTask(fleet.db, 'after', { by: by('ann') });
  await fleet.db.pool.query(`UPDATE run SET due_at = now() + interval '3200 ms' WHERE id = $1`, [next]);
  await fleet.dispatcher.runOnce();
  await after;
  expect(fleet.events.some((event) => event.event === 'run_started' && event.run === id)).toBe(false);
  expect(await fleet.runs('queued')).toMatchObject([{ state: 'cancelled', attempt: 0 }]);
});

it('a run between attempts that is cancelled makes room under its key', async () => {
  handlers.set('retrying', async ({ payload }) => {
    if (payload === 'fails') throw new Error('failed');
    return { status: 'succeeded' };
  });
  const retry = { maxAttempts: 3, backoff: { kind: 'fixed' as const, delayMs: 60 * MINUTE } };
  await fleet.save({ name: 'retrying', retry });
  const failed = fleet.event('run_finished', (event) => event.task === 'retrying');
  const id = await triggerTask(fleet.db, 'retrying', { by: by('ann'), payload: 'fails' });
  await fleet.dispatcher.runOnce();
  expect(await failed).toMatchObject({ run: id, state: 'retrying' });
  expect(await requestCancel(fleet.db, id, ANN)).toEqual({ kind: 'cancelled' });
  const finished = fleet.event('run_finished', (event) => event.task === 'retrying');
  const next = await dispatched('retrying');
  expect(await finished).toMatchObject({ run: next, state: 'succeeded' });
});

it('a request that the worker did not hear of in time is carried out by the reconciler', async () => {
  handlers.set('unheard', () => Promise.reject(new Error('failed')));
  const retry = { maxAttempts: 3, backoff: { kind: 'fixed' as const, delayMs: 60 * MINUTE } };
  await fleet.save({ name: 'unheard', retry });
  const failed = fleet.event('run_finished', (event) => event.task === 'unheard');
  const id = await dispatched('unheard');
  await failed;
  await fleet.db.pool.query(`UPDATE run SET cancel_requested_at = now(), cancel_requested_by = 'ann' WHERE id = $1`, [
    id,
  ]);
  const healed = fleet.event('drift', ({ counts }) => counts.cancel_pending !== undefined);
  await fleet.reconciler.runOnce();
  expect(await healed).toMatchObject({ counts: { cancel_pending: 1 } });
  expect(await fleet.runs('unheard')).toMatchObject([
    { state: 'cancelled', reason: 'cancelled by ann between attempts' },
  ]);
});
