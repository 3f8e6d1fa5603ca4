import { randomUUID } from 'node:crypto';
import { newRunId, systemClock } from '@escapement/core';
import { by, testDatabase } from '@escapement/testkit';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import {
  beginRuns,
  chooseRuns,
  chosenRerunnables,
  dispatchableRuns,
  dueTasks,
  ensurePartitions,
  findDeadSlots,
  findLostWakeUps,
  findOverwaited,
  finishOverwaited,
  finishRuns,
  freeDeadSlots,
  keyRuns,
  listKeySlots,
  longestRunning,
  lookUpRepeats,
  lookUpRuns,
  lostRuns,
  markQueued,
  overdueRuns,
  pausePool,
  planRuns,
  probeLedger,
  queuedRuns,
  readAlertFacts,
  recentRuns,
  repeatableTasks,
  rerunRun,
  rerunRuns,
  rerunTerms,
  resumePool,
  waitRun,
  wakeWaiting,
  writeHeartbeat,
} from '../src/index.ts';
import { expectIndexed, openExplained } from './explained.ts';
import { finishRequest, OCCURRENCE, SUCCEEDED } from './ledger.ts';

const TASKS = 1_000_000;
const RUNS = 1_000_000;
const OF_THIS_WEEK = RUNS / 5;
const BATCH = 100;
const { db, plansOf, forget } = await openExplained(await testDatabase());
afterAll(() => db.close());

const now = systemClock.now();
const DAY = 86_400_000;

async function load(): Promise<void> {
  for (let day = 28; day >= 0; day -= 7) await ensurePartitions(db, new Date(now.getTime() - day * DAY), 7);
  const client = new pg.Client({ connectionString: db.url });
  await client.connect();
  await client.query(
    `SET auto_explain.log_min_duration = -1; SET synchronous_commit = off; SET session_replication_role = replica`,
  );
  await client.query(
    `INSERT INTO task (id, name, definition, schedule, key_template, key_limit, overlap, pool, source, effective_at)
     SELECT uuid_of(n), 'task-' || n, '{}', '{"kind":"every","everyMs":60000}', 'task-' || n, 1, 'skip', 'default', 'test',
       now() - interval '30 days'
     FROM generate_series(1, $1) AS n`.replace('uuid_of(n)', UUID_OF_N),
    [TASKS],
  );
  await client.query(
    `INSERT INTO task_plan (task_id, namespace, next_run_at)
     SELECT ${UUID_OF_N}, 'default', now() + n * interval '10 ms' FROM generate_series(1, $1) AS n`,
    [TASKS],
  );
  // Finished runs over four weeks, a part of them in this one, however young it is: a partition of a few pages would be read whole. At the end of them a day's worth of open ones of each kind.
  await client.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit,
       overlap, pool, due_at, dispatch, attempt, slot, fence, worker, started_at, finished_at, waiting_since, wait_until)
     SELECT (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
       to_timestamp(ms / 1000.0), 'default', ${UUID_OF_N}, 1, 1, 'schedule', state,
       CASE WHEN state IN ('skipped', 'failed') THEN 'because' END, 'task-' || n, 1, 'skip', 'default', to_timestamp(ms / 1000.0),
       1, CASE WHEN state IN ('queued', 'planned', 'waiting') THEN 0 ELSE 1 END, 1, 1,
       CASE WHEN state = 'running' THEN 'worker-' || n % 5 END, CASE WHEN state = 'running' THEN now() END,
       CASE WHEN state IN ('succeeded', 'skipped', 'failed') THEN now() END, CASE WHEN state = 'waiting' THEN now() END,
       CASE WHEN state = 'waiting' AND n % 2 = 0 THEN now() + interval '1 h' END
     FROM (SELECT n, CASE WHEN n <= $3::bigint THEN $1::bigint - n * ($1 - $4::bigint) / $3 ELSE $4 - ((n - $3) * 28 * 86400000 / $2) END AS ms,
         CASE WHEN n <= 20000 THEN 'queued' WHEN n <= 22000 THEN 'planned' WHEN n <= 23000 THEN 'running'
           WHEN n <= 25000 THEN 'waiting'
           WHEN n % 50 = 0 THEN 'failed' WHEN n % 10 = 0 THEN 'skipped' ELSE 'succeeded' END AS state
       FROM generate_series(1, $2::bigint) AS n) AS made`,
    [now.getTime(), RUNS, OF_THIS_WEEK, Math.floor(now.getTime() / (7 * DAY)) * 7 * DAY],
  );
  await client.query(
    `INSERT INTO key_slot (namespace, key, slot, fence) SELECT 'default', 'task-' || n, 1, 1 FROM generate_series(1, 200000) AS n`,
  );
  await client.query(`UPDATE key_slot s SET run_id = r.id, run_scheduled_for = r.scheduled_for FROM run r
    WHERE r.state = 'running' AND s.key = r.key`);
  await client.query(
    `INSERT INTO process (id, role, host, pid, app_version) SELECT 'worker-' || n, 'worker', 'h', n, '0' FROM generate_series(0, 4) AS n`,
  );
  await client.query(
    `INSERT INTO task_pause (task_id, from_at, created_by) SELECT id, now() + interval '1 year', 'test' FROM task LIMIT 100000`,
  );
  await client.query(`INSERT INTO task_duration (task_id, runs, p50_ms, p95_ms) SELECT id, 100, 0, 0 FROM task`);
  await client.query('ANALYZE');
  await client.end();
}

const UUID_OF_N = `('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;

interface Sample {
  id: string;
  scheduled_for: Date;
  task_id: string;
  key: string;
  dispatch: number;
}

async function samples(state: string, round: number): Promise<Sample[]> {
  const { rows } = await db.pool.query<Sample>(
    'SELECT id, scheduled_for, task_id, key, dispatch FROM run WHERE state = $1 ORDER BY id LIMIT $2 OFFSET $3',
    [state, BATCH, round * BATCH],
  );
  forget();
  return rows;
}

it('every statement of the hot path uses an index at a million tasks and a million runs', {
  timeout: 240_000,
}, async () => {
  await load();

  expectIndexed(await plansOf(() => dueTasks(db, { horizonMs: 5000, limit: BATCH })), BATCH);

  const planned = await plansOf(async (round) => {
    const { tasks } = await dueTasks(db, { horizonMs: 60_000, limit: BATCH });
    forget();
    const rows = tasks.map((task) => {
      const at = new Date(now.getTime() + round * 1000 + 1);
      return { ...OCCURRENCE, id: newRunId(at), taskId: task.id, scheduledFor: at, dueAt: at, key: task.name };
    });
    const moves = tasks.map((task) => ({
      taskId: task.id,
      planSeq: task.planSeq,
      nextRunAt: new Date(now.getTime() + DAY),
    }));
    await planRuns(db, moves, rows);
  });
  expectIndexed(planned, BATCH);

  const dispatchable = { horizonMs: 5000, repeatGraceMs: 1500, limit: BATCH };
  expectIndexed(await plansOf(() => dispatchableRuns(db, dispatchable)), BATCH);

  const listed = await plansOf(async (round) => {
    const runs = await samples('succeeded', round);
    await recentRuns(
      db,
      runs.map((run) => run.task_id),
      10,
    );
  });
  expectIndexed(listed, BATCH);

  const repeatable = { maxEveryMs: 10_000, withinMs: 20_000, after: undefined, limit: BATCH };
  expectIndexed(await plansOf(() => repeatableTasks(db, repeatable)), BATCH);

  const repeated = await plansOf(async (round) => {
    const runs = await samples('planned', round);
    await lookUpRepeats(
      db,
      runs.map((run) => ({ taskId: run.task_id, scheduledFor: run.scheduled_for, queue: 'default+shell' })),
    );
  });
  expectIndexed(repeated, BATCH);

  const marked = await plansOf(async (round) => {
    const runs = await samples('planned', round);
    await markQueued(
      db,
      runs.map((run) => ({ id: run.id, scheduledFor: run.scheduled_for, dispatch: 2 })),
    );
  });
  expectIndexed(marked, BATCH);

  const looked = await plansOf(async (round) => {
    const runs = await samples('queued', round);
    await lookUpRuns(
      db,
      runs.map((run) => ({ runId: run.id, scheduledFor: run.scheduled_for })),
    );
  });
  expectIndexed(looked, BATCH);

  const started: string[] = [];
  const begun = await plansOf(async (round) => {
    const runs = await samples('queued', round);
    const results = await beginRuns(
      db,
      runs.map((run) => ({
        runId: run.id,
        scheduledFor: run.scheduled_for,
        dispatch: run.dispatch,
        beginId: randomUUID(),
        key: run.key,
        slot: 1,
        worker: 'worker-1',
      })),
    );
    started.push(...results.map((result) => result.kind));
  });
  expect(new Set(started)).toContain('begun');
  expect(started.filter((kind) => kind === 'begun').length).toBeGreaterThan(BATCH);
  expectIndexed(begun, BATCH);

  const finished: string[] = [];
  const ended = await plansOf(async () => {
    const { rows } = await db.pool.query<{
      id: string;
      scheduled_for: Date;
      attempt: number;
      dispatch: number;
      fence: bigint;
    }>(
      `SELECT id, scheduled_for, attempt, dispatch, fence FROM run WHERE state = 'running' AND worker = 'worker-1' LIMIT $1`,
      [BATCH],
    );
    forget();
    const results = await finishRuns(
      db,
      rows.map((row) => ({
        ...finishRequest(
          {
            ...SAMPLE_RUN,
            runId: row.id,
            scheduledFor: row.scheduled_for,
            attempt: row.attempt,
            dispatch: row.dispatch,
            fence: row.fence,
          },
          SUCCEEDED,
        ),
      })),
    );
    finished.push(...results);
  });
  expect(finished.filter((result) => result === 'applied').length).toBeGreaterThan(BATCH);
  expectIndexed(ended, BATCH);

  const waited = await plansOf(async (round) => {
    const [run] = await samples('queued', round + 20);
    if (run)
      await waitRun(db, {
        runId: run.id,
        scheduledFor: run.scheduled_for,
        seen: { state: 'queued', dispatch: run.dispatch, attempt: 0 },
        dispatch: run.dispatch,
        maxWaiting: 1000,
      });
  });
  expectIndexed(waited, 5);
  let woken = 0;
  const wakes = await plansOf(async () => {
    woken += (await wakeWaiting(db, await findLostWakeUps(db, BATCH))).length;
  });
  expect(woken).toBeGreaterThan(BATCH);
  expectIndexed(wakes, 10 * BATCH);
  expectIndexed(await plansOf(async () => finishOverwaited(db, await findOverwaited(db, BATCH))), BATCH);

  expectIndexed(await plansOf(() => queuedRuns(db, { after: undefined, limit: BATCH })), BATCH);
  const overdue = { overdueMs: 1000, limit: BATCH, lookAt: BATCH };
  expectIndexed(await plansOf(() => overdueRuns(db, overdue)), 10);
  await pausePool(db, 'default', null, by('test'));
  // All 20,000 that are queued are overdue, and of this pool: none of them is found, and few are read.
  expectIndexed(await plansOf(() => overdueRuns(db, overdue)), 10);
  await resumePool(db, 'default', by('test'));
  // Rows that have just been woken or begun are still in the indexes.
  expectIndexed(await plansOf(() => probeLedger(db, ['live', 'waiting', 'cancelling', 'late'])), 10);
  expectIndexed(await plansOf(() => lostRuns(db, { silentMs: 3_600_000, limit: BATCH })), 10 * BATCH);
  expectIndexed(await plansOf(() => readAlertFacts(db, 10)), 10);
  expectIndexed(await plansOf(() => writeHeartbeat(db, PROCESS, { activeRuns: [], clockOffsetMs: 0 })), 1);
  expectIndexed(await plansOf(async () => freeDeadSlots(db, await findDeadSlots(db, BATCH))), 10 * BATCH);

  const failed = await plansOf(async (round) => {
    const [run] = await samples('failed', round);
    await rerunRun(db, run?.id ?? '', by('test'));
  });
  expectIndexed(failed, 10);
  const redriven: number[] = [];
  const soon = new Date(now.getTime() + 3_600_000).toISOString();
  const dead = await plansOf(async (round) => {
    const since = new Date(now.getTime() - (round + 24) * 3_600_000);
    const until = new Date(since.getTime() + 3_600_000);
    forget();
    const times = { since: since.toISOString(), until: until.toISOString(), askedAt: soon };
    const which = { tasks: null, states: ['failed'], ...times } as const;
    const ids = await chooseRuns(db, 'dead', which, { after: null, limit: BATCH });
    const runs = (await chosenRerunnables(db, ids)).map((run) => ({ ...run, ...rerunTerms(run, false) }));
    const terms = { sameVersion: false, once: true, action: 'redrive', by: by('test') } as const;
    redriven.push((await rerunRuns(db, runs, terms)).size);
  });
  expect(Math.max(...redriven)).toBeGreaterThan(0);
  expectIndexed(dead, BATCH);
  const chosen: string[] = [];
  for (const [kind, states] of [
    ['ended', ['succeeded']],
    ['open', ['queued', 'waiting']],
  ] as const) {
    const which = { tasks: null, states, since: null, until: soon, askedAt: soon };
    let after: string | null = null;
    const pages = await plansOf(async () => {
      const ids = await chooseRuns(db, kind, which, { after, limit: BATCH });
      after = ids.at(-1) ?? null;
      chosen.push(...ids);
    });
    expectIndexed(pages, BATCH);
  }
  expect(new Set(chosen).size).toBe(14 * BATCH);
  expectIndexed(await plansOf((round) => listKeySlots(db, { key: `task-${round}`, limit: 10 })), 10);
  // Who runs under a key without a slot is looked for among all that is under way or due: 20,000 runs here.
  expectIndexed(await plansOf((round) => keyRuns(db, `task-${round}`, 10)), BATCH);
  // Runs that run are among those that are queued: 20,000 here.
  const longest: string[] = [];
  expectIndexed(
    await plansOf(async () => longest.push(...(await longestRunning(db, { limit: 10 })).map(({ state }) => state))),
    BATCH,
  );
  expect(new Set(longest)).toEqual(new Set(['running']));
  expectIndexed(await plansOf(() => longestRunning(db, { stuckOnly: true, limit: 10 })), BATCH);
});

const PROCESS = { id: 'worker-1', role: 'worker', host: 'h', pid: 1, appVersion: '0', pools: [] } as const;

const SAMPLE_RUN = {
  namespace: 'default',
  taskId: '',
  taskVersion: 1,
  origin: 'schedule',
  requestedBy: null,
  causeRunId: null,
  depth: 0,
  traceparent: null,
  createdAt: now,
  key: '',
  lost: 0,
  uncounted: 0,
  dueAt: now,
  startedAt: now,
  batchId: null,
  payload: undefined,
} as const;
