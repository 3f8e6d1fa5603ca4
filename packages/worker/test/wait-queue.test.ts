import { type Handler, newRunId, SECOND, systemClock } from '@escapement/core';
import { testFleet } from '@escapement/testkit/fleet';
import { Redis } from 'ioredis';
import { afterAll, expect, it } from 'vitest';

const RUNS = 40;

const fleet = await testFleet();
const redis = new Redis(fleet.redis.url);
afterAll(() => redis.disconnect());

/** What was at work, in the order of starts; how many at once at most, by key. */
const started = new Map<string, string[]>();
const most = new Map<string, number>();
const inside = new Map<string, number>();
let onStart: (key: string) => void = () => undefined;
const handler: Handler = async ({ run }) => {
  const now = (inside.get(run.key) ?? 0) + 1;
  inside.set(run.key, now);
  most.set(run.key, Math.max(most.get(run.key) ?? 0, now));
  started.set(run.key, [...(started.get(run.key) ?? []), run.id]);
  onStart(run.key);
  await new Promise((resolve) => setImmediate(resolve));
  inside.set(run.key, (inside.get(run.key) ?? 0) - 1);
  return { status: 'succeeded' };
};
await fleet.startWorker(handler);
await fleet.startWorker(handler);

/** So many runs that are due at once, their jobs in an order of chance. */
async function burst(task: string): Promise<string[]> {
  const nowMs = systemClock.now().getTime();
  const times = Array.from({ length: RUNS }, (_, index) => new Date(nowMs - RUNS * SECOND + index * SECOND));
  const ids = times.map((at) => newRunId(at));
  await fleet.db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
       overlap, pool, need, due_at, dispatch)
     SELECT i.id, i.at, t.namespace, t.id, t.version, t.plan_epoch, 'trigger', 'queued', t.name, t.key_limit, t.overlap,
       t.pool, t.need, i.at, 1
     FROM unnest($1::uuid[], $2::timestamptz[]) AS i(id, at), task t WHERE t.name = $3`,
    [ids, times, task],
  );
  const jobs = ids.map((runId) => ({ queue: 'default+shell', runId, dispatch: 1, delayMs: 0 }));
  await fleet.queue.add(jobs.sort((a, b) => a.runId.slice(-4).localeCompare(b.runId.slice(-4))));
  return ids;
}

async function open(task: string): Promise<number> {
  return (await fleet.runs(task)).filter(({ state }) => state !== 'succeeded').length;
}

/** Passes of the reconciler until all of the task's runs have ended. */
async function healUntilDone(task: string): Promise<void> {
  while ((await open(task)) > 0) {
    await fleet.db.pool.query(`UPDATE cluster_lock SET taken_at = '-infinity'`);
    await fleet.reconciler.runOnce();
  }
}

it('starts all runs of a burst in the order of their due times, one at a time (I13)', { timeout: 60_000 }, async () => {
  await fleet.save({ name: 'ordered', overlap: 'wait-all' });
  const ids = await burst('ordered');
  await healUntilDone('ordered');
  expect(started.get('ordered')).toEqual(ids);
  expect(most.get('ordered')).toBe(1);
});

it('goes on in order, one at a time, when Redis is flushed again and again (I14)', { timeout: 60_000 }, async () => {
  await fleet.save({ name: 'flushed', overlap: 'wait-all' });
  let starts = 0;
  onStart = (key) => {
    if (key === 'flushed' && ++starts % 10 === 0) void redis.flushdb();
  };
  const ids = await burst('flushed');
  await healUntilDone('flushed');
  expect(started.get('flushed')).toEqual(ids);
  expect(most.get('flushed')).toBe(1);
});

it('has as many at once as the limit says, all of them in order of their starts', { timeout: 60_000 }, async () => {
  await fleet.save({ name: 'two', limit: 2, overlap: 'wait-all' });
  await burst('two');
  await healUntilDone('two');
  const rows = await fleet.runs('two');
  const times = rows.map(({ started_at }) => started_at?.getTime() ?? 0);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(most.get('two')).toBeLessThanOrEqual(2);
});
