import { type Handler, newRunId, SECOND, systemClock } from '@escapement/core';
import { createLeaseKeeper } from '@escapement/queue';
import { lockRows } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { afterAll, expect, it, onTestFinished } from 'vitest';

const fleet = await testFleet();
const others = createLeaseKeeper({ redis: fleet.redis, onError: () => undefined });
afterAll(() => others.close());

/** What the runs at work wait for. */
const latches = new Map<string, () => void>();
const handler: Handler = async ({ run, signal }) => {
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve());
    latches.set(run.id, resolve);
  });
  return { status: 'succeeded' };
};

/** The only one while the test lasts; what it leaves is gone. */
async function workerOf(id: string, concurrency: number): Promise<void> {
  const worker = await fleet.startWorker(handler, id, concurrency);
  onTestFinished(async () => {
    await worker.stop(0);
    await fleet.db.pool.query('TRUNCATE run, key_slot CASCADE');
  });
}

/** Queued runs of a task, due one second after the other, whose jobs are not added. */
async function queued(task: string, count: number): Promise<string[]> {
  const nowMs = systemClock.now().getTime();
  const times = Array.from({ length: count }, (_, index) => new Date(nowMs - (count - index) * SECOND));
  const ids = times.map((at) => newRunId(at));
  await fleet.db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
       overlap, pool, need, due_at, dispatch)
     SELECT i.id, i.at, t.namespace, t.id, t.version, t.plan_epoch, 'trigger', 'queued', t.name, t.key_limit, t.overlap,
       t.pool, t.need, i.at, 1
     FROM unnest($1::uuid[], $2::timestamptz[]) AS i(id, at), task t WHERE t.name = $3`,
    [ids, times, task],
  );
  return ids;
}

async function deliver(...runs: string[]): Promise<void> {
  await fleet.queue.add(runs.map((runId) => ({ queue: 'default+shell', runId, dispatch: 1, delayMs: 0 })));
}

function hears(event: 'run_started' | 'run_waiting', id: string | undefined) {
  return fleet.event(event, ({ run }) => run === id);
}

function end(id: string | undefined): void {
  latches.get(id ?? '')?.();
}

it('a run that is behind another one in order joins the wait queue without asking for a lease', async () => {
  await workerOf('behind', 20);
  await fleet.save({ name: 'behind', overlap: 'wait-all' });
  const [first, second, third = ''] = await queued('behind', 3);
  const ahead = await others.acquire({ key: 'behind', limit: 1, runId: third, worker: 'other', dispatch: 1 });
  if (!ahead.held) throw new Error('the lease is free');
  const waits = hears('run_waiting', second);
  await deliver(second ?? '');
  expect(await waits).toMatchObject({ blockedBy: first });
  await ahead.lease.release();
  const starts = hears('run_started', first);
  await deliver(first ?? '');
  await starts;
});

it('the next in the wait queue goes before what stands in the queue', async () => {
  await workerOf('narrow', 2);
  await fleet.save({ name: 'waited', overlap: 'wait-all' });
  await fleet.save({ name: 'crowd', overlap: 'allow' });
  const [first, next] = await queued('waited', 2);
  const [crowd, ...monitorStatus] = await queued('crowd', 8);
  const started = hears('run_started', first);
  await deliver(first ?? '');
  await started;
  const waits = hears('run_waiting', next);
  await deliver(next ?? '');
  await waits;
  const full = hears('run_started', crowd);
  await deliver(crowd ?? '', ...monitorStatus);
  await full;
  const goesOn = fleet.event('run_started');
  end(first);
  expect((await goesOn).run).toBe(next);
});

it('a crowd that joins the wait queue leaves room for runs of other keys', async () => {
  await workerOf('wide', 50);
  await fleet.save({ name: 'locked', overlap: 'wait-all' });
  await fleet.save({ name: 'free', overlap: 'allow' });
  const [first, ...crowd] = await queued('locked', 9);
  const started = hears('run_started', first);
  await deliver(first ?? '');
  await started;
  const slots = await lockRows(fleet.db.url, `SELECT FROM key_slot WHERE key = 'locked' FOR UPDATE`);
  await deliver(...crowd);
  await slots.awaited();
  while (((await fleet.queue.counts(['default+shell']))['default+shell']?.active ?? 0) <= crowd.length)
    await new Promise((resolve) => setImmediate(resolve));
  const [other] = await queued('free', 1);
  const starts = hears('run_started', other);
  await deliver(other ?? '');
  await starts;
  await slots.release();
});
