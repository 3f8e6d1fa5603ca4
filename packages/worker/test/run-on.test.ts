import { MINUTE, systemClock, type TaskInput } from '@escapement/core';
import { rerunRun, saveTask, triggerRuns, triggerTask, verifyLedger } from '@escapement/operations';
import { beginRuns, endProcess, writeHeartbeat } from '@escapement/store';
import { by } from '@escapement/testkit';
import { halfway, testFleet, wasDue } from '@escapement/testkit/fleet';
import { beforeEach, expect, it } from 'vitest';

const fleet = await testFleet();
const { db } = fleet;

/** A run waits no longer than until the next occurrence. */
const hourly = halfway(60 * MINUTE);

/** What the next run of a worker does. */
const handlers = new Map<string, () => Promise<'succeeded' | 'failed'>>();

async function workerNamed(name: string) {
  return await fleet.startWorker(async () => {
    const status = (await handlers.get(name)?.()) ?? 'succeeded';
    return status === 'failed' ? { status, error: { name: 'Error', message: 'flaky' } } : { status };
  }, name);
}

const w1 = await workerNamed('w1');
await workerNamed('w2');

/** A worker that was heard so long ago last, of which nobody else is left. */
async function away(name: string, agoMs: number, given: { isNamed?: boolean; stopped?: boolean } = {}) {
  const process = {
    id: `gone-${name}`,
    role: 'worker',
    host: 'test',
    pid: 1,
    appVersion: '0',
    pools: ['default'],
  } as const;
  await writeHeartbeat(
    db,
    { ...process, name, isNamed: given.isNamed ?? false, offers: ['shell'] },
    { activeRuns: [], clockOffsetMs: 0 },
  );
  if (given.stopped) await endProcess(db, process.id);
  await db.pool.query(
    `UPDATE process SET started_at = started_at - interval '2 d', heartbeat_at = now() - $2 * interval '1 ms' WHERE id = $1`,
    [process.id, agoMs],
  );
}

beforeEach(async () => {
  handlers.clear();
  await db.pool.query(`DELETE FROM process WHERE id LIKE 'gone-%'`);
});

async function onEveryWorker(name: string, given: Partial<TaskInput> = {}) {
  await fleet.save({ name, runOn: 'every-worker', schedule: hourly, ...given });
}

interface Row {
  id: string;
  scheduled_for: Date;
  of_worker: string | null;
  worker: string | null;
  state: string;
  reason: string | null;
  origin: string;
  attempt: number;
  key: string;
}

async function rowsOf(task: string): Promise<Row[]> {
  const { rows } = await db.pool.query<Row>(
    `SELECT r.id, r.scheduled_for, worker_of(r.need) AS of_worker, r.worker, r.state, r.reason, r.origin, r.attempt, r.key
     FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1 ORDER BY r.scheduled_for, worker_of(r.need)`,
    [task],
  );
  return rows;
}

const statesOf = async (task: string) => (await rowsOf(task)).map(({ of_worker, state }) => `${of_worker} ${state}`);

async function due(task: string, agoMs = 500): Promise<void> {
  await wasDue(db, task, agoMs);
  await fleet.planner.runOnce();
}

/** What waits, once the others have run, waits for so much longer, and is judged. */
async function judge(task: string, lateMs = 2 * MINUTE): Promise<void> {
  await expect.poll(async () => (await statesOf(task)).slice(0, 2)).toEqual(['w1 succeeded', 'w2 succeeded']);
  await db.pool.query(
    `UPDATE run r SET due_at = due_at - $2 * interval '1 ms', misfire_at = misfire_at - $2 * interval '1 ms'
     FROM task t WHERE t.id = r.task_id AND t.name = $1 AND r.state = 'queued'`,
    [task, lateMs],
  );
  await db.pool.query(`DELETE FROM cluster_lock WHERE name = 'misfires'`);
  await fleet.misfires.runOnce();
}

it('each occurrence is one run on each worker, and on that very worker', async () => {
  await onEveryWorker('rotate');
  await due('rotate');
  await expect.poll(() => statesOf('rotate')).toEqual(['w1 succeeded', 'w2 succeeded']);
  expect((await rowsOf('rotate')).map(({ of_worker, worker, key }) => [of_worker, worker, key])).toEqual([
    ['w1', 'w1', 'rotate#w1'],
    ['w2', 'w2', 'rotate#w2'],
  ]);
});

it('a short interval rides no repeatable job, which knows no workers', async () => {
  await onEveryWorker('often', { schedule: { kind: 'every', everyMs: 5000 }, misfireThresholdMs: MINUTE });
  await due('often');
  await fleet.syncRepeatableJobs();
  expect(new Set((await rowsOf('often')).map(({ of_worker }) => of_worker))).toEqual(new Set(['w1', 'w2']));
  await expect.poll(async () => (await statesOf('often')).slice(0, 2)).toEqual(['w1 succeeded', 'w2 succeeded']);
});

it('a run of another worker is refused by Postgres, whoever brings its job', async () => {
  await onEveryWorker('guarded');
  await away('w3', 30_000);
  await due('guarded');
  const row = (await rowsOf('guarded')).find(({ of_worker }) => of_worker === 'w3');
  if (!row) throw new Error('no row of w3');
  const request = { runId: row.id, scheduledFor: row.scheduled_for, dispatch: 1, key: row.key, slot: 1, worker: 'w1' };
  const begin = (queues: string[]) =>
    beginRuns(db, [{ ...request, beginId: '00000000-0000-4000-8000-000000000001' }], queues);
  expect(await begin(['default', 'default+shell', 'default+@w1', 'default+shell@w1'])).toEqual([{ kind: 'stale' }]);
  expect(await begin(['default', 'default+shell', 'default+@w3', 'default+shell@w3'])).toMatchObject([
    { kind: 'begun' },
  ]);
});

it('expects who lives, who vanished within an hour, and of those that were given a name who was heard within a day', async () => {
  await away('vanished', 50 * MINUTE);
  await away('vanished-long-ago', 70 * MINUTE);
  await away('stopped', MINUTE, { stopped: true });
  await away('named-stopped', 20 * 60 * MINUTE, { isNamed: true, stopped: true });
  await away('named-long-ago', 25 * 60 * MINUTE, { isNamed: true });
  await onEveryWorker('expects');
  await due('expects');
  expect((await rowsOf('expects')).map(({ of_worker }) => of_worker)).toEqual([
    'named-stopped',
    'vanished',
    'w1',
    'w2',
  ]);
});

it('a worker that was away is named: where nothing is caught up its run is missed', async () => {
  await away('w3', 30 * MINUTE);
  await onEveryWorker('named', { catchUp: 'none' });
  await due('named');
  await judge('named');
  await expect.poll(() => statesOf('named')).toEqual(['w1 succeeded', 'w2 succeeded', 'w3 missed']);
  expect((await rowsOf('named'))[2]?.reason).toMatch(
    /^worker w3, which was away since \d{4}-.*Z, did not start it within 1 min; the task does not catch up$/,
  );
});

it('else its run waits for it, as long as the task would catch it up, and starts when it is back', async () => {
  await away('w4', 30 * MINUTE);
  await onEveryWorker('waits');
  await due('waits');
  await judge('waits');
  expect((await rowsOf('waits'))[2]).toMatchObject({ of_worker: 'w4', state: 'queued', origin: 'catch_up' });
  // Until the next occurrence.
  const { rows } = await db.pool.query(
    `SELECT (extract(epoch FROM r.start_by) * 1000)::bigint % 3600000 AS phase, r.start_by < r.scheduled_for + interval '1 h' AS soon
     FROM run r WHERE r.key = 'waits#w4'`,
  );
  expect(rows).toEqual([{ phase: BigInt(hourly.phaseMs), soon: true }]);
  const w4 = await workerNamed('w4');
  await expect.poll(async () => (await rowsOf('waits'))[2]).toMatchObject({ state: 'succeeded', worker: 'w4' });
  await w4.stop(0);
  await db.pool.query(`DELETE FROM process WHERE id = 'w4'`);
});

it('who did not come back in time is named too', async () => {
  await away('w3', 30 * MINUTE);
  await onEveryWorker('too-late');
  await due('too-late');
  await judge('too-late');
  await db.pool.query(`UPDATE run SET start_by = now() - interval '1 s' WHERE key = 'too-late#w3'`);
  await fleet.reconcile();
  expect((await rowsOf('too-late'))[2]).toMatchObject({
    state: 'missed',
    reason: expect.stringMatching(/worker w3 was away since/),
  });
});

it('who is no longer expected keeps no run open', async () => {
  await away('w3', 30 * MINUTE);
  await onEveryWorker('gone');
  await due('gone');
  await db.pool.query(`UPDATE run SET due_at = due_at - interval '2 min' WHERE key = 'gone#w3'`);
  await fleet.reconcile();
  expect((await rowsOf('gone'))[2]?.state).toBe('queued');
  await away('w3', 61 * MINUTE);
  await fleet.reconcile();
  expect((await rowsOf('gone'))[2]).toMatchObject({
    state: 'missed',
    reason: expect.stringMatching(/^it belongs to worker w3, which is away since .* and no longer expected$/),
  });
});

it('a worker whose earlier run is still at work skips the next, and the others do not', async () => {
  await onEveryWorker('long');
  let end = (_: 'succeeded') => {};
  const until = new Promise<'succeeded'>((resolve) => {
    end = resolve;
  });
  handlers.set('w1', () => until);
  await due('long', 1000);
  await expect.poll(() => statesOf('long')).toEqual(['w1 running', 'w2 succeeded']);
  await due('long');
  await expect.poll(() => statesOf('long')).toEqual(['w1 running', 'w2 succeeded', 'w1 skipped', 'w2 succeeded']);
  end('succeeded');
  await expect.poll(async () => (await statesOf('long'))[0]).toBe('w1 succeeded');
});

it('a retry, and a rerun by hand, is of the same worker', async () => {
  await onEveryWorker('flaky', { retry: { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: 0 } } });
  let failures = 0;
  handlers.set('w2', async () => (failures++ === 0 ? 'failed' : 'succeeded'));
  await due('flaky');
  await expect
    .poll(async () => {
      await fleet.dispatcher.runOnce();
      return await statesOf('flaky');
    })
    .toEqual(['w1 succeeded', 'w2 succeeded']);
  const [, row] = await rowsOf('flaky');
  expect(row).toMatchObject({ worker: 'w2', attempt: 2 });
  const { rerunId } = await rerunRun(db, row?.id ?? '', by('ann'));
  await fleet.dispatcher.runOnce();
  await expect
    .poll(async () => (await rowsOf('flaky')).find(({ id }) => id === rerunId))
    .toMatchObject({ state: 'succeeded', worker: 'w2', key: 'flaky#w2' });
});

it('a trigger is a run on each worker, or on the one that is named', async () => {
  await onEveryWorker('by-hand', { schedule: { kind: 'manual' }, overlap: 'allow' });
  await expect(triggerTask(db, 'by-hand', { by: by('ann') })).rejects.toMatchObject({ code: 'runs_on_every_worker' });
  const runs = await triggerRuns(db, 'by-hand', { by: by('ann') });
  expect(runs.map(({ worker }) => worker)).toEqual(['w1', 'w2']);
  const one = await triggerTask(db, 'by-hand', { by: by('ann'), worker: 'w2' });
  await fleet.dispatcher.runOnce();
  await expect
    .poll(async () => (await rowsOf('by-hand')).filter(({ id }) => id === one))
    .toMatchObject([{ of_worker: 'w2', worker: 'w2' }]);
  await expect(triggerRuns(db, 'by-hand', { by: by('ann'), worker: 'w' })).rejects.toMatchObject({
    code: 'unknown_worker',
  });
  await fleet.save({ name: 'plain' });
  await expect(triggerRuns(db, 'plain', { by: by('ann'), worker: 'w1' })).rejects.toMatchObject({
    code: 'not_on_every_worker',
  });
});

it('where no worker can run it the occurrence is missed, once it is due', async () => {
  await onEveryWorker('nobody', { pool: 'empty' });
  await wasDue(db, 'nobody', -3000);
  await fleet.planner.runOnce();
  expect(await rowsOf('nobody')).toEqual([]);
  await due('nobody');
  expect(await rowsOf('nobody')).toMatchObject([
    {
      of_worker: null,
      state: 'missed',
      reason: 'it runs on every worker, and the pool "empty" had none that could run it',
    },
  ]);
  await expect(triggerRuns(db, 'nobody', { by: by('ann') })).rejects.toMatchObject({ code: 'no_workers' });
  const [row] = await rowsOf('nobody');
  await expect(rerunRun(db, row?.id ?? '', by('ann'))).rejects.toMatchObject({ code: 'run_of_every_worker' });
});

it('an edit before it is due changes the runs that are there, and adds none twice', async () => {
  await onEveryWorker('edited');
  await wasDue(db, 'edited', -4000);
  await fleet.planner.runOnce();
  const before = await rowsOf('edited');
  await onEveryWorker('edited', { timeoutMs: 5000 });
  await db.pool.query(
    `UPDATE task_plan SET next_run_at = $2, plan_seq = plan_seq + 1 WHERE task_id IN (SELECT id FROM task WHERE name = $1)`,
    ['edited', before[0]?.scheduled_for],
  );
  await fleet.planner.runOnce();
  const after = await rowsOf('edited');
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  await expect.poll(() => statesOf('edited'), { timeout: 10_000 }).toEqual(['w1 succeeded', 'w2 succeeded']);
});

it('after a flush of Redis each run gets its job again, in the queue of its worker', async () => {
  await onEveryWorker('flushed');
  await wasDue(db, 'flushed', -3000);
  await fleet.planner.runOnce();
  await fleet.server.send('FLUSHDB');
  await fleet.reconcile();
  await expect
    .poll(
      async () => {
        await fleet.reconcile();
        return await statesOf('flushed');
      },
      { timeout: 15_000 },
    )
    .toEqual(['w1 succeeded', 'w2 succeeded']);
});

it('nothing follows a run on every worker, and a task that others follow does not run on every worker', async () => {
  await onEveryWorker('target');
  const save = (task: TaskInput) => saveTask(db, task, { source: 'test', by: by('test') });
  const handler = { type: 'shell', command: 'true' } as const;
  await expect(save({ name: 'head', handler, then: [{ task: 'target' }] })).rejects.toMatchObject({
    code: 'every_worker_follows',
  });
  await fleet.save({ name: 'tail' });
  await save({ name: 'head', handler, then: [{ task: 'tail' }] });
  await expect(save({ name: 'tail', handler, runOn: 'every-worker' })).rejects.toMatchObject({
    code: 'every_worker_follows',
  });
});

it('the verification of the ledger finds a worker without a row, one too many, and a run that belongs to none', async () => {
  const at = new Date(systemClock.now().getTime() - 15_000);
  const everyMs = 60 * MINUTE;
  await onEveryWorker('verified', { schedule: { kind: 'every', everyMs, phaseMs: at.getTime() % everyMs } });
  await db.pool.query(
    `UPDATE task_version SET effective_at = now() - interval '1 hour' WHERE task_id = (SELECT id FROM task WHERE name = 'verified')`,
  );
  await db.pool.query(`UPDATE task SET effective_at = now() - interval '1 hour' WHERE name = 'verified'`);
  await db.pool.query(
    `UPDATE task_plan SET next_run_at = $1, plan_seq = plan_seq + 1 WHERE task_id IN (SELECT id FROM task WHERE name = 'verified')`,
    [at],
  );
  await fleet.planner.runOnce();
  await expect.poll(async () => (await statesOf('verified')).slice(0, 2)).toEqual(['w1 succeeded', 'w2 succeeded']);
  const verify = async () => {
    const found: string[] = [];
    const window = { from: new Date(at.getTime() - 1), to: at, task: 'verified' };
    await verifyLedger(db, { ...window, onFinding: ({ kind, detail }) => found.push(`${kind}: ${detail}`) });
    return found.filter((each) => !each.startsWith('late'));
  };
  expect(await verify()).toEqual([]);
  await db.pool.query(`UPDATE occurrence_workers SET workers = '{w1,w2,w3}' WHERE scheduled_for = $1`, [at]);
  expect(await verify()).toEqual(['missing: worker w3 has no row of it']);
  await db.pool.query(`UPDATE occurrence_workers SET workers = '{w1}' WHERE scheduled_for = $1`, [at]);
  expect(await verify()).toEqual(['unexpected: started on worker w2, for which it was not planned']);
  await db.pool.query(`DELETE FROM occurrence_workers WHERE scheduled_for = $1`, [at]);
  expect(await verify()).toEqual(['missing: for which workers it was planned is no longer written down']);
  await db.pool.query('ALTER TABLE run DISABLE TRIGGER run_terminal_is_final');
  await db.pool.query(`UPDATE occurrence_workers SET workers = '{w1,w2}' WHERE scheduled_for = $1`, [at]);
  await db.pool.query(`DELETE FROM run WHERE key = 'verified#w2' AND scheduled_for = $1`, [at]);
  await db.pool.query(`UPDATE run SET need = 'shell' WHERE key = 'verified#w1' AND scheduled_for = $1`, [at]);
  expect(await verify()).toEqual([
    'unexpected: it started, and belongs to no worker, though its task runs on every worker',
  ]);
  await db.pool.query('ALTER TABLE run ENABLE TRIGGER run_terminal_is_final');
  // Tasks of the tests before may be due at this moment.
  await expect.poll(() => w1.active).toBe(0);
});
