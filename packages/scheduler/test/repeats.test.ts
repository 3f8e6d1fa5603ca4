import { HORIZON_MS, testFleet } from '@escapement/testkit/fleet';
import { expect, it, vi } from 'vitest';

const fleet = await testFleet({ repeatableUpToMs: HORIZON_MS });

/** A task that runs each second, and is not judged for being late on a busy machine. */
const eachSecond = (name: string, phaseMs = 0) => ({
  name,
  schedule: { kind: 'every', everyMs: 1000, phaseMs } as const,
  misfireThresholdMs: 60_000,
});

function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000, interval: 50 });
}

/** Begun rows, and how often each was. */
async function startsOf(task: string): Promise<number[]> {
  const starts = fleet.events.filter((event) => event.event === 'run_started' && event.task === task);
  const rows = (await fleet.runs(task)).filter((row) => row.attempt > 0);
  return rows.map((row) => starts.filter((event) => event.event === 'run_started' && event.run === row.id).length);
}

async function jobsOf(task: string): Promise<boolean[]> {
  const { rows } = await fleet.db.pool.query<{ queue: string; runId: string; dispatch: number }>(
    `SELECT queue_of(r.pool, r.need) AS queue, r.id AS "runId", 1 AS dispatch FROM run r JOIN task t ON t.id = r.task_id
     WHERE t.name = $1 ORDER BY r.scheduled_for`,
    [task],
  );
  return await fleet.queue.present(rows);
}

it('leaves what is due later to repeats: planned, without jobs; what is due before they can come gets a job', async () => {
  await fleet.save(eachSecond('rows'));
  await fleet.planner.runOnce();
  const rows = await fleet.runs('rows');
  const jobs = await jobsOf('rows');
  expect(rows.length).toBeGreaterThanOrEqual(9);
  expect(rows.map(({ state }) => state === 'queued')).toEqual(jobs);
  expect(rows.filter(({ state }) => state === 'queued').length).toBeLessThanOrEqual(7);
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['queued', 'planned']));
});

it('leaves planned rows alone until they are late, then gives them jobs', async () => {
  await fleet.dispatcher.runOnce();
  const before = await fleet.runs('rows');
  await fleet.db.pool.query(`UPDATE run SET due_at = now() - interval '2 s' WHERE id = $1`, [
    before.findLast(({ state }) => state === 'planned')?.id,
  ]);
  await fleet.dispatcher.runOnce();
  const after = await fleet.runs('rows');
  const queued = (rows: typeof after) => rows.filter(({ state }) => state === 'queued').length;
  expect(queued(after)).toBe(queued(before) + 1);
  expect(after.at(-1)).toMatchObject({ state: 'queued' });
  expect((await jobsOf('rows')).at(-1)).toBe(true);
});

it('gives the next rows of a task their jobs too when one has waited for its repeat in vain', async () => {
  await fleet.save({ ...eachSecond('lost'), misfireThresholdMs: 300 });
  await fleet.planner.runOnce();
  const planned = (await fleet.runs('lost')).filter(({ state }) => state === 'planned');
  const [first, ...next] = planned;
  await fleet.db.pool.query(
    `UPDATE run SET due_at = now() - interval '400 ms', misfire_at = now() - interval '100 ms' WHERE id = $1`,
    [first?.id],
  );
  await fleet.dispatcher.runOnce();
  expect(next.length).toBeGreaterThan(2);
  expect((await fleet.runs('lost')).filter(({ state }) => state === 'planned')).toEqual([]);
  expect(await jobsOf('lost')).not.toContain(false);
});

it('starts each row once: by its repeat, by its job, or where both come by one of them; repeats without a row do nothing', async () => {
  await fleet.save(eachSecond('repeated', 250));
  await fleet.syncRepeatableJobs();
  await fleet.startWorker(async () => ({ status: 'succeeded' }));
  await fleet.startWorker(async () => ({ status: 'succeeded' }));
  await fleet.planner.runOnce();
  const planned = (await fleet.runs('repeated')).filter(({ state }) => state === 'planned');
  const doubled = planned[0];
  expect(doubled).toBeDefined();
  if (doubled)
    await fleet.dispatcher.enqueue([
      {
        id: doubled.id,
        scheduledFor: doubled.scheduled_for,
        queue: 'default+shell',
        dueAt: doubled.due_at,
        dispatch: 1,
      },
    ]);
  await eventually(async () => {
    // On a busy machine BullMQ leaves out repeats: rows that have waited in vain get jobs, and later ones are planned.
    await fleet.planner.runOnce();
    await fleet.dispatcher.runOnce();
    const rows = await fleet.runs('repeated');
    expect(rows.filter(({ state }) => state === 'succeeded').length).toBeGreaterThanOrEqual(6);
  });
  // One that begins just now is in Postgres before it is told of.
  await eventually(async () => expect(new Set(await startsOf('repeated'))).toEqual(new Set([1])));
  const begun = (await fleet.runs('repeated')).filter(({ attempt }) => attempt > 0);
  for (const { started_at: at, due_at: due } of begun) expect(at?.getTime()).toBeGreaterThanOrEqual(due.getTime());
});
