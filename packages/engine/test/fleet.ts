import { randomUUID } from 'node:crypto';
import { type Clock, type Handler, systemClock, type TaskInput } from '@escapement/core';
import { connectRedis, createJobSchedulers, createQueueContents, createRunQueue } from '@escapement/queue';
import { beginRuns, type Database, openDatabase } from '@escapement/store';
import { testDatabase, testRedis } from '@escapement/testkit';
import { afterAll } from 'vitest';
import {
  createDefinitions,
  createDispatcher,
  createFollowUps,
  createHeartbeat,
  createMisfires,
  createPlanner,
  createReconciler,
  createTicker,
  createWorker,
  type EngineEvent,
  saveTask,
  triggerTask,
  type Worker,
} from '../src/index.ts';

export const HORIZON_MS = 10_000;
export const LEASE_MS = 10_000;

/**
 * One scheduler whose passes are made by hand, and any number of workers, on servers of the test file's own. Intervals of up to
 * `tickMs` are started by ticks, by default none.
 */
export async function testFleet({ tickMs = 0 }: { tickMs?: number } = {}) {
  const { url } = await testDatabase();
  const server = await testRedis();
  const redis = { url: server.url, namespace: 'default' };
  const events: EngineEvent[] = [];
  const watchers: ((event: EngineEvent) => void)[] = [];
  const emit = (event: EngineEvent) => {
    events.push(event);
    for (const watcher of [...watchers]) watcher(event);
  };
  const onError = () => undefined;
  const db = openDatabase({ url, applicationName: 'test' });
  const connection = connectRedis(redis);
  const queue = createRunQueue(connection);
  const process = { id: 'scheduler-1', role: 'scheduler', host: 'test', pid: 1, appVersion: '0', pools: [] } as const;
  const common = {
    db,
    redis,
    queue,
    emit,
    onError,
    clock: systemClock,
    horizonMs: HORIZON_MS,
    ticks: { fromMs: 0, toMs: tickMs },
  };
  const heartbeat = createHeartbeat({ ...common, process, held: () => [], maxClockOffsetMs: 500, overdueMs: LEASE_MS });
  const shared = { ...common, databaseNow: heartbeat.databaseNow };
  const dispatcher = createDispatcher(shared);
  const planner = createPlanner({
    ...shared,
    dispatcher,
    processId: process.id,
    mayWork: () => true,
    onPass: () => undefined,
  });
  const definitions = createDefinitions(db);
  const contents = createQueueContents(connection);
  const newReconciler = (clock: Clock = systemClock, steadyMs = LEASE_MS) =>
    createReconciler({
      ...shared,
      definitions,
      contents,
      leases: connection,
      mayWork: () => true,
      clock,
      steadyMs: () => steadyMs,
      deadMs: LEASE_MS,
    });
  const reconciler = newReconciler();
  const jobSchedulers = createJobSchedulers(connection);
  const newTicker = () => createTicker({ ...shared, jobSchedulers, mayWork: () => true });
  const ticker = newTicker();
  const followUps = createFollowUps({ ...shared, dispatcher });
  const misfires = createMisfires({ ...shared, dispatcher });
  await heartbeat.runOnce();
  const workers: Worker[] = [];

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop(0)));
    await queue.close();
    await connection.close();
    await db.close();
  });

  return {
    db,
    redis,
    server,
    queue,
    connection,
    events,
    planner,
    dispatcher,
    reconciler,
    contents,
    jobSchedulers,
    /** Those of another replica. */
    newReconciler,
    newTicker,
    /** A pass of the ticker, though the last one was just now. */
    async setTicks(by = ticker) {
      await db.pool.query(`DELETE FROM gate WHERE name = 'ticker'`);
      await by.runOnce();
    },
    /** A pass, though the last one was just now. */
    async reconcile(by = reconciler) {
      await db.pool.query(`DELETE FROM gate WHERE name LIKE '%reconciler'`);
      await by.runOnce();
    },
    misfires,
    /** The scheduler's own, of what no worker does. */
    followUps,
    async startWorker(handler: Handler, id = `worker-${workers.length + 1}`, concurrency = 20): Promise<Worker> {
      const worker = createWorker({
        ...common,
        process: { id, role: 'worker', host: 'test', pid: 1, appVersion: '0', pools: ['default'] },
        handlers: () => handler,
        concurrency,
        leaseMs: LEASE_MS,
        maxClockOffsetMs: 500,
      });
      workers.push(worker);
      await worker.start();
      return worker;
    },
    save: (task: Partial<TaskInput> & { name: string }) => save(db, task),
    /** Resolves with the next event that fits. */
    event<Name extends EngineEvent['event']>(
      name: Name,
      fits: (event: Extract<EngineEvent, { event: Name }>) => boolean = () => true,
    ) {
      return new Promise<Extract<EngineEvent, { event: Name }>>((resolve) => {
        const watch = (event: EngineEvent) => {
          if (!isNamed(event, name) || !fits(event)) return;
          watchers.splice(watchers.indexOf(watch), 1);
          resolve(event);
        };
        watchers.push(watch);
      });
    },
    async runs(task: string) {
      const { rows } = await db.pool.query<LedgerRow>(
        `SELECT r.id, r.state, r.reason, r.origin, r.attempt, r.lost, r.blocked_by, r.occurrences, r.scheduled_for, r.due_at,
           r.started_at, r.task_version
         FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1 ORDER BY r.scheduled_for, r.created_at`,
        [task],
      );
      return rows;
    },
  };
}

/** A run of a task that a worker has begun; nothing runs it. */
export async function heldBy(db: Database, worker: string, task: string): Promise<string> {
  const id = await triggerTask(db, task, { who: 'test' });
  const { rows } = await db.pool.query<{ scheduled_for: Date; key: string; dispatch: number }>(
    'SELECT scheduled_for, key, dispatch FROM run WHERE id = $1',
    [id],
  );
  const [row] = rows;
  if (!row) throw new Error('no run');
  const request = { runId: id, scheduledFor: row.scheduled_for, dispatch: row.dispatch + 1, beginId: randomUUID() };
  const [result] = await beginRuns(db, [{ ...request, key: row.key, slot: 1, worker }]);
  if (result?.kind !== 'begun') throw new Error(`not begun: ${result?.kind}`);
  return id;
}

export interface LedgerRow {
  id: string;
  state: string;
  reason: string | null;
  origin: string;
  attempt: number;
  lost: number;
  blocked_by: string | null;
  occurrences: number;
  scheduled_for: Date;
  due_at: Date;
  started_at: Date | null;
  task_version: number;
}

function isNamed<Name extends EngineEvent['event']>(
  event: EngineEvent,
  name: Name,
): event is Extract<EngineEvent, { event: Name }> {
  return event.event === name;
}

async function save(db: Database, task: Partial<TaskInput> & { name: string }) {
  return await saveTask(db, { handler: { type: 'shell', command: 'true' }, ...task }, { source: 'test', who: 'test' });
}

/** Puts a task's next run in the past, as if no scheduler had been there. */
export async function wasDue(db: Database, task: string, agoMs: number): Promise<void> {
  await db.pool.query(
    `UPDATE task SET next_run_at = date_trunc('milliseconds', now() - $2 * interval '1 ms'), plan_seq = plan_seq + 1 WHERE name = $1`,
    [task, agoMs],
  );
}
