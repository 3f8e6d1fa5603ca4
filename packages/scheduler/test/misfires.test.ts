import type { TaskInput } from '@escapement/core';
import { testFleet, wasDue } from '@escapement/testkit/fleet';
import { expect, it, vi } from 'vitest';

const fleet = await testFleet();
const every5s = { kind: 'every', everyMs: 5000 } as const;

/** Runs that were queued, and that no worker took: six of them, the last one 3 s late. */
async function queuedBeforeAnOutage(name: string, catchUp: TaskInput['catchUp']): Promise<void> {
  await fleet.save({ name, schedule: every5s, misfireThresholdMs: 60_000, ...(catchUp ? { catchUp } : {}) });
  await wasDue(fleet.db, name, 28_000);
  await fleet.db.pool.query(
    `WITH t AS (UPDATE task SET effective_at = now() - interval '1 hour' WHERE name = $1 RETURNING id)
     UPDATE task_plan SET next_run_at = now() - interval '28 s' FROM t WHERE task_id = t.id`,
    [name],
  );
  await fleet.planner.runOnce();
  await fleet.db.pool.query(
    `DELETE FROM run r USING task t WHERE t.id = r.task_id AND t.name = $1 AND r.scheduled_for > now() - interval '1 s'`,
    [name],
  );
  await fleet.db.pool.query(
    `UPDATE run r SET misfire_at = r.due_at + interval '1 s' FROM task t WHERE t.id = r.task_id AND t.name = $1`,
    [name],
  );
  await fleet.db.pool.query(
    `UPDATE task_plan SET next_run_at = now() + interval '1 hour', plan_seq = plan_seq + 1 WHERE task_id IN (SELECT id FROM task WHERE name = $1)`,
    [name],
  );
}

async function judge(): Promise<void> {
  await fleet.db.pool.query(`DELETE FROM cluster_lock WHERE name = 'misfires'`);
  await fleet.misfires.runOnce();
}

const states = async (name: string) => (await fleet.runs(name)).map(({ state, origin }) => `${origin} ${state}`);

it.each([
  ['none', (count: number) => Array.from({ length: count }, () => 'schedule missed')],
  ['ask', (count: number) => Array.from({ length: count }, () => 'catch_up held')],
] as const)('judges it by the policy of the task: %s', async (policy, expected) => {
  const name = `policy-${policy}`;
  await queuedBeforeAnOutage(name, policy);
  await judge();
  const found = await states(name);
  expect(found.length).toBeGreaterThanOrEqual(5);
  expect(found).toEqual(expected(found.length));
});

it('starts the earliest only, whatever is judged when', async () => {
  await queuedBeforeAnOutage('earliest', 'earliest');
  const [first, ...others] = await fleet.runs('earliest');
  await judge();
  await judge();
  expect(await states('earliest')).toEqual(['catch_up queued', ...others.map(() => 'schedule missed')]);
  expect((await fleet.runs('earliest'))[0]?.id).toBe(first?.id);
});

it('leaves alone what is only a little late, and what was paused', async () => {
  await queuedBeforeAnOutage('paused', undefined);
  await fleet.db.pool.query(
    `INSERT INTO task_pause (task_id, from_at, created_by) SELECT id, now() - interval '1 hour', 'test' FROM task WHERE name = 'paused'`,
  );
  await judge();
  expect(new Set(await states('paused'))).not.toContain('schedule missed');
});

// Until here nothing begins: a worker would begin what those above only judge.
it('does not fire what was queued before an outage in a burst: the newest runs, the others are missed with the reason', async () => {
  const started: string[] = [];
  await queuedBeforeAnOutage('burst', { policy: 'latest', withinMs: 60_000 });
  const rows = await fleet.runs('burst');
  const worker = await fleet.startWorker(async ({ run }) => {
    if (run.taskName === 'burst') started.push(run.id);
    return { status: 'succeeded' };
  });
  await judge();
  // A job that comes while the one before it is still being looked at is the reconciler's to bring again.
  await vi.waitFor(
    async () => {
      // A choice holds until the next occurrence would be due.
      await judge();
      await fleet.reconcile();
      expect((await states('burst')).at(-1)).toBe('catch_up succeeded');
    },
    { timeout: 20_000, interval: 200 },
  );
  expect(started).toEqual([rows.at(-1)?.id]);
  expect(await states('burst')).toEqual([...rows.slice(1).map(() => 'schedule missed'), 'catch_up succeeded']);
  expect((await fleet.runs('burst'))[0]?.reason).toBe(
    'no worker started it within 1 min; a newer occurrence runs instead',
  );
  await worker.stop(1000);
});

it('runs all that misfired where that was asked for, one after the other and in order, none skipped by the others', async () => {
  await queuedBeforeAnOutage('all', 'all');
  await judge();
  await fleet.startWorker(async () => ({ status: 'succeeded' }));
  await vi.waitFor(
    async () => {
      await judge();
      await fleet.reconcile();
      expect(new Set(await states('all'))).toEqual(new Set(['catch_up succeeded']));
    },
    { timeout: 20_000, interval: 200 },
  );
  const rows = await fleet.runs('all');
  expect(rows.length).toBeGreaterThanOrEqual(5);
  const starts = rows.map(({ started_at }) => started_at?.getTime() ?? 0);
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
});
