import { afterAll, beforeEach, expect, it } from 'vitest';
import { type FleetFigures, fleetFigures, type PoolFigures, writeHeartbeat } from '../src/index.ts';
import { ago, begun, MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one: db } = processes;
afterAll(() => processes.close());
beforeEach(async () => {
  for (const table of [
    'run',
    'task',
    'process',
    'pool',
    'fleet_freeze',
    'queue_watch',
    'key_slot',
    'alert',
    'delivery',
  ])
    await db.pool.query(`DELETE FROM ${table}`);
});

const read = () => fleetFigures(db, { deadMs: MINUTE });

const NONE: FleetFigures = {
  ...{ plannerPassAgeMs: null, plannerLagMs: 0, unplannable: 0, held: 0, unknown: 0, keysWaitedFor: 0, slotsHeld: 0 },
  ...{ deliveriesPending: 0, alertsFiring: 0, frozen: false, schedulers: 0, queueBlocks: [], pools: [] },
};

it('of a namespace in which nothing is, all is none', async () => {
  expect(await read()).toEqual(NONE);
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
  expect(figures.keysWaitedFor).toBe(0);
  expect(figures.plannerLagMs).toBeGreaterThanOrEqual(10 * MINUTE);
  expect(figures.pools).toEqual([
    {
      ...{ pool: 'cpu', queued: 0, overdue: 0, longestMs: 0, running: 0, waiting: 0, withoutCode: 0, workers: 1 },
      expectedWorkers: null,
      paused: false,
    },
    {
      ...{
        pool: 'gpu',
        queued: 2,
        overdue: 1,
        longestMs: expect.any(Number),
        withoutCode: 0,
        running: 1,
        waiting: 0,
        workers: 1,
      },
      ...{ expectedWorkers: 3, paused: true },
    },
  ]);
  expect(figures.pools[1]?.longestMs).toBeGreaterThanOrEqual(3 * MINUTE);
});

it('keys for which runs wait are counted, each once', async () => {
  const before = (await read()).keysWaitedFor;
  const taskId = await makeTask(db, { name: 'waits' });
  const keys = ['first', 'first', 'second', 'not-waited-for'];
  const runs = await queueRuns(
    db,
    keys.map((key, index) => ({ taskId, key, ageMs: (1 + index) * MINUTE })),
  );
  await db.pool.query(`UPDATE run SET state = 'waiting', waiting_since = now() WHERE id = ANY ($1)`, [
    runs.slice(0, 3).map(({ runId }) => runId),
  ]);
  expect((await read()).keysWaitedFor).toBe(before + 2);
});

const inTens = (ms: number) => Math.floor(ms / (10 * MINUTE)) * 10;
/** Ages in full tens of minutes. */
async function rounded(from = db) {
  const { plannerPassAgeMs, plannerLagMs, pools, ...rest } = await fleetFigures(from, { deadMs: 10 * MINUTE });
  return {
    ...{ ...rest, plannerPassAgeMs: plannerPassAgeMs && inTens(plannerPassAgeMs), plannerLagMs: inTens(plannerLagMs) },
    pools: pools.map((pool) => ({ ...pool, longestMs: inTens(pool.longestMs) })),
  };
}

const IDLE: PoolFigures = {
  ...{ pool: 'gpu', queued: 0, overdue: 0, longestMs: 0, running: 0, waiting: 0, withoutCode: 0, workers: 0 },
  ...{ expectedWorkers: null, paused: false },
};
const RUNNING = `attempt = 1, fence = 1, worker = 'w', started_at = now(), state = 'running'`;

/** A run of the namespace $1, which was due so many minutes ago. */
const aRun = (set: string, minutes = 15) => `
INSERT INTO run (id, namespace, scheduled_for, task_id, task_version, plan_epoch, origin, key, key_limit, overlap, pool, due_at, state)
VALUES (gen_random_uuid(), $1, now(), gen_random_uuid(), 1, 1, 'trigger', 'k', 1, 'skip', 'gpu', now() - interval '${minutes} min', 'queued');
UPDATE run SET ${set || 'attempt = 0'} WHERE namespace = $1`;

const aProcess = (set: string) => `
INSERT INTO process (id, namespace, role, host, pid, app_version, pools) VALUES ('p ' || $1, $1, 'worker', 'h', 1, '0', '{gpu}');
UPDATE process SET ${set} WHERE namespace = $1`;

const aFreeze = (from: string, until: string) => `
INSERT INTO fleet_freeze (namespace, from_at, until_at, note, created_by) VALUES ($1, now() + interval '${from}', now() + interval '${until}', 'x', 'ann')`;

const aSlot = (run: string) => `
INSERT INTO key_slot (namespace, key, slot, run_id, run_scheduled_for, since) SELECT $1, 'k', 1, id, at, at FROM (VALUES (${run})) v(id, at)`;

const anAlert = (state: string) => `
INSERT INTO alert (namespace, rule, kind, severity, subject, labels, state, summary, since, last_at, fire_at, resolved_at)
VALUES ($1, 'r', 'run_failed', 'warning', 's', '{}', '${state}', 'x', now(), now(), now(), CASE WHEN '${state}' = 'resolved' THEN now() END)`;

const aDelivery = (state: string) => `
INSERT INTO delivery (namespace, receiver, alert_group, alerts, repeated, state, try_at) VALUES ($1, 'r', 'g', '{1}', false, '${state}', now())`;

const HOUR = '1 h';
const BLOCK = { queue: 'gpu', kind: 'paused', since: '2026-06-01T12:00:00.000Z' } as const;

it.each<[string, string, Partial<FleetFigures>]>([
  ['a run that is queued', aRun(''), { pools: [{ ...IDLE, queued: 1, overdue: 1, longestMs: 10 }] }],
  ['a run that is due later', aRun('', -15), { pools: [{ ...IDLE, queued: 1 }] }],
  ['a run that is not queued yet', aRun(`state = 'planned'`, -15), { pools: [{ ...IDLE, queued: 1 }] }],
  ['a planned occurrence', aRun(`state = 'planned', origin = 'schedule'`, -15), { pools: [{ ...IDLE, queued: 1 }] }],
  ['a run between attempts', aRun(`state = 'retrying', attempt = 1`, -15), { pools: [{ ...IDLE, queued: 1 }] }],
  ['a run at work', aRun(RUNNING), { pools: [{ ...IDLE, running: 1 }] }],
  [
    'a run that waits for its key',
    aRun(`state = 'waiting', waiting_since = now()`),
    { pools: [{ ...IDLE, waiting: 1 }], keysWaitedFor: 1 },
  ],
  ['a run that is held', aRun(`state = 'held'`), { held: 1 }],
  ['a run of unknown outcome', aRun(`state = 'unknown', reason = 'x'`), { unknown: 1 }],
  ['a run that has ended', aRun(`state = 'failed', reason = 'x', finished_at = now()`), {}],
  ['a worker', aProcess('pid = 2'), { pools: [{ ...IDLE, workers: 1 }] }],
  ['a worker that is silent', aProcess(`heartbeat_at = now() - interval '15 min'`), {}],
  [
    'a worker that was heard in time',
    aProcess(`heartbeat_at = now() - interval '5 min'`),
    { pools: [{ ...IDLE, workers: 1 }] },
  ],
  ['a worker that has stopped', aProcess('stopped_at = now()'), {}],
  ['a worker that says it plans', aProcess('planned_at = now()'), { pools: [{ ...IDLE, workers: 1 }] }],
  ['a scheduler', aProcess(`role = 'scheduler'`), { schedulers: 1 }],
  ['a scheduler that is silent', aProcess(`role = 'scheduler', heartbeat_at = now() - interval '15 min'`), {}],
  [
    'a scheduler that has planned and stopped',
    aProcess(`role = 'scheduler', planned_at = now() - interval '15 min', stopped_at = now()`),
    { plannerPassAgeMs: 10 },
  ],
  [
    'a pool',
    `INSERT INTO pool (namespace, name, expected_workers) VALUES ($1, 'gpu', 2)`,
    { pools: [{ ...IDLE, expectedWorkers: 2 }] },
  ],
  ['a freeze', aFreeze(`-${HOUR}`, HOUR), { frozen: true }],
  ['a freeze that is over', aFreeze(`-${HOUR}`, '-1 min'), {}],
  ['a freeze that is to come', aFreeze('30 min', HOUR), {}],
  ['a slot', aSlot('NULL::uuid, NULL::timestamptz'), {}],
  ['a slot of a run', aSlot('gen_random_uuid(), now()'), { slotsHeld: 1 }],
  ['an alert that fires', anAlert('firing'), { alertsFiring: 1 }],
  ['an alert that waits', anAlert('pending'), {}],
  ['an alert that is over', anAlert('resolved'), {}],
  ['a message', aDelivery('pending'), { deliveriesPending: 1 }],
  ['a message that was sent', aDelivery('sent'), {}],
  [
    'a queue that somebody has paused',
    `INSERT INTO queue_watch (namespace, marker, server, blocked) VALUES ($1, 'm', 's', '${JSON.stringify([BLOCK])}')`,
    { queueBlocks: [BLOCK] },
  ],
])('%s is told to its namespace alone', async (_, insert, told) => {
  const add = (namespace: string) => db.pool.query(insert.replaceAll('$1', `'${namespace}'`));
  await add('other');
  expect(await rounded()).toEqual(NONE);
  await add(db.namespace);
  expect(await rounded()).toEqual({ ...NONE, ...told });
});

it('of the queued runs of a pool the one that has waited longest counts, not one at work', async () => {
  for (const [namespace, set, minutes] of [
    ['a', '', 15],
    ['b', '', 35],
    ['c', RUNNING, 95],
  ] as const)
    await db.pool.query(aRun(set, minutes).replaceAll('$1', `'${namespace}'`));
  await db.pool.query('UPDATE run SET namespace = $1', [db.namespace]);
  expect((await rounded()).pools).toEqual([{ ...IDLE, queued: 2, overdue: 2, longestMs: 30, running: 1 }]);
});

it('runs are counted from the oldest one that is open', async () => {
  await db.pool.query(aRun('', 15).replaceAll('$1', `'${db.namespace}'`));
  const { rows } = await db.pool.query<{ due_at: Date }>('SELECT due_at FROM run');
  const from = (ms: number) => ({
    ...db,
    openFrom: { ...db.openFrom, runs: new Date((rows[0]?.due_at.getTime() ?? 0) + ms).toISOString() },
  });
  expect((await rounded(from(0))).pools).toHaveLength(1);
  expect((await rounded(from(1))).pools).toEqual([]);
});

it('the task that has waited longest to be planned tells how far the planner lags', async () => {
  const due = ago(15 * MINUTE);
  await makeTask(db, { name: 'late' });
  await makeTask({ ...db, namespace: 'other' }, { name: 'late' });
  const plan = (next: Date | null, after: Date | null, error: string | null = null) =>
    db.pool.query('UPDATE task_plan SET next_run_at = $2, plan_after = $3, plan_error = $4 WHERE namespace = $1', [
      ...[db.namespace, next, after, error],
    ]);
  const from = (ms: number) => ({
    ...db,
    openFrom: { ...db.openFrom, tasks: new Date(due.getTime() + ms).toISOString() },
  });
  await plan(due, null);
  expect(await rounded()).toEqual({ ...NONE, plannerLagMs: 10 });
  expect(await rounded(from(0))).toEqual({ ...NONE, plannerLagMs: 10 });
  expect(await rounded(from(1))).toEqual(NONE);
  await plan(ago(-15 * MINUTE), null);
  expect(await rounded()).toEqual(NONE);
  await plan(null, due);
  expect(await rounded()).toEqual(NONE);
  await plan(null, null, 'broken');
  expect(await rounded()).toEqual({ ...NONE, unplannable: 1 });
  await db.pool.query(`UPDATE task_plan SET plan_error = 'broken' WHERE namespace = 'other'`);
  expect(await rounded()).toEqual({ ...NONE, unplannable: 1 });
});
