import { HOUR, newRunId, SECOND, systemClock } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { writeHeartbeat } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { lookAtQueue } from '../src/index.ts';

const fleet = await testFleet();
const POOL = 'esc:{default:default+shell}:default+shell';
const WORKER = {
  id: 'w',
  role: 'worker',
  host: 'test',
  pid: 2,
  appVersion: '0',
  pools: ['default'],
  offers: ['shell'],
} as const;

const ago = (ms: number) => new Date(systemClock.now().getTime() - ms);

async function dispatchOf(id: string): Promise<number> {
  const { rows } = await fleet.db.pool.query<{ dispatch: number }>('SELECT dispatch FROM run WHERE id = $1', [id]);
  return rows[0]?.dispatch ?? 0;
}

/** An overdue run whose job a worker took so long ago. */
async function taken(task: string, agoMs: number): Promise<string> {
  await fleet.save({ name: task });
  const id = await triggerTask(fleet.db, task, { by: by('test') });
  await fleet.db.pool.query(`UPDATE run SET due_at = now() - interval '10 s' WHERE id = $1`, [id]);
  await fleet.dispatcher.runOnce();
  await fleet.server.send('LREM', `${POOL}:wait`, 0, `r_${id}_1`);
  await fleet.server.send('LPUSH', `${POOL}:active`, `r_${id}_1`);
  await fleet.server.send('HSET', `${POOL}:r_${id}_1`, 'processedOn', ago(agoMs).getTime());
  return id;
}

it('leaves a job to the worker that lists its run, and to one that has not made two heartbeats since it was taken', async () => {
  await fleet.db.pool.query(`DELETE FROM process WHERE id = 'w'`);
  await writeHeartbeat(fleet.db, WORKER, { activeRuns: [], clockOffsetMs: 0 });
  const fresh = await taken('fresh', 0);
  const listed = await taken('listed', 60 * SECOND);
  await fleet.db.pool.query(
    `UPDATE process SET started_at = now() - interval '1 h', prev_heartbeat_at = now() - interval '2 s'`,
  );
  await fleet.db.pool.query(`UPDATE process SET active_runs = ARRAY[$1::uuid] WHERE id = 'w'`, [listed]);
  await fleet.reconcile();
  expect([await dispatchOf(fresh), await dispatchOf(listed)]).toEqual([1, 1]);
});

it('queues a run anew whose job was taken by a worker that does not list it in two heartbeats (I6)', async () => {
  const id = await taken('lost-on-the-way', 20 * SECOND);
  await writeHeartbeat(fleet.db, WORKER, { activeRuns: [], clockOffsetMs: 0 });
  await writeHeartbeat(fleet.db, WORKER, { activeRuns: [], clockOffsetMs: 0 });
  await fleet.reconcile();
  expect(await dispatchOf(id)).toBe(2);
  expect(await fleet.queue.present([{ queue: 'default+shell', runId: id, dispatch: 2 }])).toEqual([true]);
});

it('a report tells of a run whose job was taken long ago, not of one whose job a worker may have in its hands', async () => {
  const justNow = await taken('just-now', 10 * SECOND);
  const longAgo = await taken('long-ago', 20 * SECOND);
  const found = await lookAtQueue({ ...fleet, leases: fleet.connection, clock: systemClock });
  const stuck = found.filter(({ kind }) => kind === 'stuck_job').map(({ subject }) => subject);
  expect([stuck.includes(longAgo), stuck.includes(justNow)]).toEqual([true, false]);
});

it('fills a queue that was flushed in one go, though it is longer than a pass', async () => {
  const runs = 6000;
  await fleet.save({ name: 'many', pool: 'unserved' });
  const times = Array.from({ length: runs }, (_, index) => ago(-HOUR - index));
  await fleet.db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, dispatch, key,
       key_limit, overlap, pool, need, due_at)
     SELECT i.id, i.at, t.namespace, t.id, 1, 1, 'trigger', 'queued', 1, t.name, 1, t.overlap, t.pool, t.need, i.at
     FROM task t, unnest($1::uuid[], $2::timestamptz[]) AS i(id, at) WHERE t.name = 'many'`,
    [times.map((at) => newRunId(at)), times.map((at) => at.toISOString())],
  );
  // Many are due together, and share jobs.
  const count = async () => {
    const { delayed = 0, bundled = 0 } = (await fleet.queue.counts(['unserved+shell']))['unserved+shell'] ?? {};
    return delayed + bundled;
  };
  const burst = async () => {
    await fleet.reconcile();
    while ((await fleet.reconciler.runOnce()) === 0);
  };
  const told = async (kind: string) => {
    const found = await lookAtQueue({ ...fleet, leases: fleet.connection, clock: systemClock });
    return new Set(found.filter((one) => one.kind === kind).map(({ subject }) => subject)).size;
  };
  // A report tells of all, though it looks page by page.
  expect(await told('missing_job')).toBeGreaterThanOrEqual(runs);
  await burst();
  await fleet.server.send('FLUSHDB');
  expect(await count()).toBe(0);
  await burst();
  expect(await count()).toBe(runs);
  expect(await told('missing_job')).toBe(0);
  await fleet.db.pool.query(
    `UPDATE run r SET state = 'cancelled', reason = 'not wanted', finished_at = now() FROM task t WHERE t.id = r.task_id AND t.name = 'many'`,
  );
  expect(await told('extra_job')).toBeGreaterThanOrEqual(runs);
});

it('keeps to the limit of a key after a flush, and uses the slot that is free in the ledger', async () => {
  const open: (() => void)[] = [];
  await fleet.db.pool.query(`DELETE FROM process WHERE id = 'w'`);
  await fleet.startWorker(async ({ run }) => {
    if (run.taskName === 'two-slots') await new Promise<void>((resolve) => open.push(resolve));
    return { status: 'succeeded' };
  });
  await fleet.save({ name: 'two-slots', limit: 2 });
  const start = async () => {
    const id = await triggerTask(fleet.db, 'two-slots', { by: by('test') });
    const told = Promise.race([
      fleet.event('run_started', ({ run }) => run === id),
      fleet.event('run_not_started', ({ run }) => run === id),
    ]);
    await fleet.dispatcher.runOnce();
    return (await told).event;
  };
  expect([await start(), await start()]).toEqual(['run_started', 'run_started']);
  await fleet.server.send('FLUSHDB');
  expect(await start()).toBe('run_not_started');
  const ended = fleet.event('run_finished', ({ task }) => task === 'two-slots');
  open.shift()?.();
  await ended;
  expect([await start(), await start()]).toEqual(['run_started', 'run_not_started']);
  for (const finish of open) finish();
});
