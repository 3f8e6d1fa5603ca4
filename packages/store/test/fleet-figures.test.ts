import { afterAll, expect, it } from 'vitest';
import { fleetFigures, writeHeartbeat } from '../src/index.ts';
import { begun, MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one: db } = processes;
afterAll(() => processes.close());

const read = () => fleetFigures(db, { deadMs: MINUTE });

it('of a namespace in which nothing is, all is none', async () => {
  expect(await read()).toEqual({
    ...{ plannerPassAgeMs: null, plannerLagMs: 0, unplannable: 0, held: 0, unknown: 0, keysWaitedFor: 0, slotsHeld: 0 },
    ...{ deliveriesPending: 0, alertsFiring: 0, frozen: false, schedulers: 0, queueBlocks: [], pools: [] },
  });
});

it('open runs, workers and settings are told by pool, and what waits for the planner or a person', async () => {
  const taskId = await makeTask(db, { name: 'busy', pool: 'gpu' });
  const runs = await queueRuns(db, [
    { taskId, key: 'busy', ageMs: 5 * MINUTE },
    { taskId, key: 'busy', ageMs: 3 * MINUTE },
    { taskId, key: 'busy', ageMs: -MINUTE },
  ]);
  await begun(db, runs.slice(0, 1));
  await writeHeartbeat(
    db,
    { id: 'w', role: 'worker', host: 'h', pid: 1, appVersion: '0', pools: ['gpu', 'cpu'], offers: [] },
    { activeRuns: [], clockOffsetMs: 0 },
  );
  await db.pool.query(`UPDATE run SET pool = 'gpu'`);
  await db.pool.query(
    `INSERT INTO pool (namespace, name, expected_workers, paused_from, pause_note, paused_by)
    VALUES ($1, 'gpu', 3, now() - interval '1 min', 'upgrade', 'ann')`,
    [db.namespace],
  );
  await db.pool.query(
    `INSERT INTO fleet_freeze (namespace, from_at, note, created_by) VALUES ($1, now() - interval '1 min', 'stop', 'ann')`,
    [db.namespace],
  );
  const block = { queue: 'gpu', kind: 'paused', since: '2026-06-01T12:00:00.000Z' } as const;
  await db.pool.query(
    `INSERT INTO queue_watch (namespace, marker, server, blocked) VALUES ($1, 'm', 's', $2)
    ON CONFLICT (namespace) DO UPDATE SET blocked = excluded.blocked`,
    [db.namespace, JSON.stringify([block])],
  );
  await makeTask(db, { name: 'overdue' });
  await db.pool.query(
    `UPDATE task_plan SET plan_error = 'broken', next_run_at = now() - interval '10 min' WHERE task_id IN (SELECT id FROM task WHERE name = 'overdue')`,
  );
  const figures = await read();
  expect(figures).toMatchObject({ unplannable: 1, slotsHeld: 1, frozen: true, schedulers: 0, queueBlocks: [block] });
  expect(figures.plannerLagMs).toBeGreaterThanOrEqual(10 * MINUTE);
  expect(figures.pools).toEqual([
    {
      ...{ pool: 'cpu', queued: 0, overdue: 0, longestMs: 0, running: 0, waiting: 0, workers: 1 },
      expectedWorkers: null,
      paused: false,
    },
    {
      ...{ pool: 'gpu', queued: 2, overdue: 1, longestMs: expect.any(Number), running: 1, waiting: 0, workers: 1 },
      ...{ expectedWorkers: 3, paused: true },
    },
  ]);
  expect(figures.pools[1]?.longestMs).toBeGreaterThanOrEqual(3 * MINUTE);
});
