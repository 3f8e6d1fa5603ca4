import { type Handler, SECOND, systemClock } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { createLeaseKeeper, type RunJob } from '@escapement/queue';
import { createDefinitions, lookUpRuns, writeHeartbeat } from '@escapement/store';
import { by } from '@escapement/testkit';
import { activeOn as activeIn, testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createReconciler } from '../src/index.ts';

const fleet = await testFleet();
const ok: Handler = async () => ({ status: 'succeeded' });

const { reconcile } = fleet;

/** A run that a worker which is no more had begun. */
const activeOn = (worker: string, task: string) => activeIn(fleet.db, worker, task);

it('brings back what a flush took from the queue, once (I14)', async () => {
  await fleet.save({ name: 'flushed' });
  const id = await triggerTask(fleet.db, 'flushed', { by: by('test') });
  await fleet.dispatcher.runOnce();
  const ref = { queue: 'default+shell', runId: id, dispatch: 1 };
  expect(await fleet.queue.present([ref])).toEqual([true]);
  await fleet.queue.remove([ref]);
  expect(await fleet.queue.present([ref])).toEqual([false]);
  await reconcile();
  expect(await fleet.queue.present([ref])).toEqual([true]);
  const finished = fleet.event('run_finished', (event) => event.run === id);
  await fleet.startWorker(ok);
  expect(await finished).toMatchObject({ state: 'succeeded', attempt: 1 });
});

it('adds again with the delay that is left once the queue has answered', async () => {
  // A pool that no worker serves: the run stays in the queue.
  await fleet.save({ name: 'slow-answer', pool: 'unserved' });
  const id = await triggerTask(fleet.db, 'slow-answer', { by: by('test') });
  await fleet.dispatcher.runOnce();
  const [run] = await fleet.runs('slow-answer');
  let nowMs = (run?.due_at.getTime() ?? 0) - 9 * SECOND;
  const added: RunJob[] = [];
  const reconciler = createReconciler({
    db: fleet.as.scheduler,
    definitions: createDefinitions(fleet.as.scheduler),
    clock: systemClock,
    databaseNow: () => new Date(nowMs),
    mayWork: () => true,
    steadyMs: () => 0,
    deadMs: 10 * SECOND,
    contents: fleet.contents,
    leases: fleet.connection,
    emit: () => undefined,
    onError: () => undefined,
    queue: {
      ...fleet.queue,
      async present(refs) {
        nowMs += 2 * SECOND;
        return refs.map(() => false);
      },
      async add(jobs) {
        added.push(...jobs);
        return jobs.map(() => ({ ok: true }));
      },
    },
  });
  await reconcile(reconciler);
  expect(added.find(({ runId }) => runId === id)).toMatchObject({ delayMs: 7 * SECOND });
});

it('tries a run again whose worker has vanished, and keeps its place in the key', async () => {
  await fleet.save({ name: 'orphan' });
  const id = await activeOn('vanished', 'orphan');
  const other = await triggerTask(fleet.db, 'orphan', { by: by('test') });
  await reconcile();
  const [orphan] = await fleet.runs('orphan');
  expect(orphan).toMatchObject({ id, state: 'retrying', lost: 1, reason: 'lost its worker vanished' });
  const finished = fleet.event('run_finished', (event) => event.run === id);
  await fleet.dispatcher.runOnce();
  expect(await finished).toMatchObject({ state: 'succeeded', attempt: 2 });
  const [sketch] = await lookUpRuns(fleet.db, [
    { runId: other, scheduledFor: new Date(Number.parseInt(other.slice(0, 8) + other.slice(9, 13), 16)) },
  ]);
  expect(['queued', 'skipped', 'succeeded']).toContain(sketch?.state);
});

it('quarantines a run that loses its worker again and again, and tells of it once', async () => {
  await fleet.save({ name: 'poison', maxLost: 1 });
  const id = await activeOn('poisoned', 'poison');
  await Promise.all([reconcile(), reconcile()]);
  await reconcile();
  const [row] = await fleet.runs('poison');
  expect(row).toMatchObject({ id, state: 'quarantined', reason: expect.stringContaining('lost its worker once') });
  const told = fleet.events.filter((event) => event.event === 'run_lost' && event.run === id);
  expect(told).toMatchObject([{ task: 'poison', state: 'quarantined', worker: 'poisoned', lost: 1 }]);
  const { rows } = await fleet.db.pool.query('SELECT kind FROM alert_fact WHERE run_id = $1', [id]);
  expect(rows).toEqual([{ kind: 'run' }]);
});

it('leaves a run alone that its worker lists, and takes one that it has left out of two heartbeats', async () => {
  await fleet.save({ name: 'listed' });
  const info = {
    id: 'listing-worker',
    role: 'worker',
    host: 'test',
    pid: 2,
    appVersion: '0',
    pools: ['default'],
  } as const;
  await writeHeartbeat(fleet.db, info, { activeRuns: [], clockOffsetMs: 0 });
  const id = await activeOn(info.id, 'listed');
  for (let heartbeats = 0; heartbeats < 3; heartbeats++)
    await writeHeartbeat(fleet.db, info, { activeRuns: [id], clockOffsetMs: 0 });
  await reconcile();
  expect((await fleet.runs('listed'))[0]).toMatchObject({ state: 'running' });
  await writeHeartbeat(fleet.db, info, { activeRuns: [], clockOffsetMs: 0 });
  await reconcile();
  expect((await fleet.runs('listed'))[0]).toMatchObject({ state: 'running' });
  await writeHeartbeat(fleet.db, info, { activeRuns: [], clockOffsetMs: 0 });
  await reconcile();
  expect((await fleet.runs('listed'))[0]).toMatchObject({ state: 'retrying', lost: 0 });
});

it('judges a silent worker only when its lease is over too, and one that was taken away only after a while', async () => {
  await fleet.save({ name: 'cut-off' });
  const info = {
    id: 'cut-off-1',
    role: 'worker',
    host: 'test',
    pid: 2,
    appVersion: '0',
    pools: ['default'],
    offers: ['shell'],
  } as const;
  const id = await activeOn(info.id, 'cut-off');
  await writeHeartbeat(fleet.db, info, { activeRuns: [id], clockOffsetMs: 0 });
  await fleet.db.pool.query(`UPDATE process SET heartbeat_at = now() - interval '20 s' WHERE id = $1`, [info.id]);
  const keeper = createLeaseKeeper({ redis: fleet.redis, onError: () => undefined });
  const lease = await keeper.acquire({ key: 'cut-off', limit: 1, runId: id, worker: info.id, dispatch: 1 });
  expect(lease.held).toBe(true);
  let nowMs = 0;
  const reconciler = fleet.newReconciler({ now: systemClock.now, monotonicMs: () => nowMs });
  const state = async () => {
    await fleet.db.pool.query('DELETE FROM cluster_lock');
    await reconciler.runOnce();
    return (await fleet.runs('cut-off'))[0]?.state;
  };
  expect(await state()).toBe('running');
  if (lease.held) await lease.lease.release();
  nowMs += SECOND;
  expect(await state()).toBe('running');
  nowMs += 4 * SECOND;
  expect(await state()).toBe('retrying');
  await keeper.close();
});

it('heals the others though the definition of one run cannot be read', async () => {
  await fleet.save({ name: 'unreadable' });
  await fleet.save({ name: 'readable' });
  const bad = await activeOn('vanished', 'unreadable');
  const good = await activeOn('vanished', 'readable');
  await fleet.db.pool.query(
    `UPDATE task_version v SET definition = '{}' FROM task t WHERE t.id = v.task_id AND t.name = 'unreadable'`,
  );
  await reconcile();
  expect((await fleet.runs('readable'))[0]).toMatchObject({ id: good, state: 'retrying', lost: 0 });
  expect((await fleet.runs('unreadable'))[0]).toMatchObject({ id: bad, state: 'retrying', lost: 0 });
});

it('starts an at-most-once run whose worker vanished never again, and gives its key to others', async () => {
  await fleet.save({ name: 'payment', delivery: 'at-most-once', retry: { maxAttempts: 5 } });
  const id = await activeOn('unpaid', 'payment');
  await reconcile();
  const [row] = await fleet.runs('payment');
  expect(row).toMatchObject({ id, state: 'unknown', lost: 1, reason: expect.stringContaining('lost its worker') });
  const finished = fleet.event('run_finished', (event) => event.task === 'payment');
  const next = await triggerTask(fleet.db, 'payment', { by: by('test') });
  await fleet.dispatcher.runOnce();
  expect(await finished).toMatchObject({ run: next, state: 'succeeded' });
  await reconcile();
  expect((await fleet.runs('payment')).map(({ state }) => state)).toEqual(['unknown', 'succeeded']);
});

it.each([
  ['at-most-once', 'unknown'],
  ['a policy of a later version', 'unknown'],
  ['at-least-once', 'retrying'],
])('a vanished run of an unreadable definition with delivery %s becomes %s', async (delivery, state) => {
  const name = `unreadable ${delivery}`.replaceAll(' ', '-');
  await fleet.save({ name });
  await activeOn('vanished', name);
  await fleet.db.pool.query(
    `UPDATE task_version v SET definition = jsonb_build_object('from', 'the future', 'delivery', $2::text)
     FROM task t WHERE t.id = v.task_id AND t.name = $1`,
    [name, delivery],
  );
  await reconcile();
  expect(await fleet.runs(name)).toMatchObject([{ state }]);
});
