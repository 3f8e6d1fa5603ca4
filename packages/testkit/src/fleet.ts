import { randomUUID } from 'node:crypto';
import {
  type Clock,
  type EngineEvent,
  type Handler,
  LEASE_MS,
  offersUnder,
  type RepeatRange,
  systemClock,
  type TaskInput,
} from '@escapement/core';
import { saveTask, triggerTask } from '@escapement/operations';
import { connectRedis, createJobSchedulers, createQueueContents, createRunQueue } from '@escapement/queue';
import {
  createDispatcher,
  createFollowersOutbox,
  createJobs,
  createMisfires,
  createPlanner,
  createReconciler,
  createRepeatableJobSync,
  createRequests,
} from '@escapement/scheduler';
import { createHeartbeat } from '@escapement/service';
import { beginRuns, createDefinitions, type Database, openDatabase } from '@escapement/store';
import { createWorker, type Worker } from '@escapement/worker';
import { afterAll } from 'vitest';
import { by } from './by.ts';
import { afterFile } from './clean-up.ts';
import { asUser } from './database-users.ts';
import { startProxy } from './proxy.ts';
import { testDatabase } from './test-database.ts';
import { testRedis } from './test-redis.ts';

export const HORIZON_MS = 10_000;

/**
 * One scheduler whose passes are made by hand, and any number of workers, on servers of the test file's own. Intervals of up to
 * `repeatableUpToMs` are started by repeats, by default none.
 */
export async function testFleet({ repeatableFromMs = 0, repeatableUpToMs = 0, redisRules }: FleetRange = {}) {
  const ground = await prepareGround({ fromMs: repeatableFromMs, toMs: repeatableUpToMs }, redisRules);
  const { redis, server, user, queue, connection } = ground.common;
  const { db, workersDb } = ground;
  const parts = await createParts(ground.common);
  const workers: Worker[] = [];

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop(0)));
    await queue.close();
    await connection.close();
    await Promise.all([db, ground.common.db, workersDb].map((each) => each.close()));
    if (ground.refusals.length > 0) throw new Error(`Postgres refused a program its right: ${ground.refusals[0]}`);
  });

  return {
    /** Of the owner: what the test itself does to the database. */
    db,
    /** As programs are connected, each with the rights of its role. */
    as: { scheduler: ground.common.db, worker: workersDb },
    redis,
    server,
    /** Of `redisRules`. */
    user,
    queue,
    connection,
    events: ground.log.events,
    /** Resolves with the next event that fits. */
    event: ground.log.next,
    ...parts,
    /** A pass of the repeatable-job sync, though the last one was just now. */
    async syncRepeatableJobs(by = parts.repeatableJobSync) {
      await db.pool.query(`DELETE FROM cluster_lock WHERE name = 'repeatable-job-sync'`);
      await by.runOnce();
    },
    /** A pass, though the last one was just now. */
    async reconcile(by = parts.reconciler) {
      await db.pool.query(`DELETE FROM cluster_lock WHERE name LIKE '%reconciler'`);
      await by.runOnce();
    },
    async startWorker(handler: Handler, id = `worker-${workers.length + 1}`, concurrency = 20): Promise<Worker> {
      const worker = createWorker({
        ...ground.common,
        db: workersDb,
        process: {
          id,
          role: 'worker',
          host: 'test',
          pid: 1,
          appVersion: '0',
          pools: ['default'],
          name: id,
          offers: offersUnder(id, ['shell', 'code']),
        },
        handlers: () => handler,
        concurrency,
        leaseMs: LEASE_MS,
        maxClockOffsetMs: 500,
      });
      workers.push(worker);
      await worker.start();
      return worker;
    },
    /** Another scheduler, with connections of its own, whose passes are made by hand. */
    newReplica: (id: string) => createReplica(ground.common, id),
    save: (task: Partial<TaskInput> & { name: string }) => save(db, task),
    runs: (task: string) => ledgerRows(db, task),
  };
}

export interface FleetRange {
  repeatableFromMs?: number;
  repeatableUpToMs?: number;
  /** It enters Redis as a user with these rules of an ACL. Default: as `default`. */
  redisRules?: string | undefined;
}

type Common = Awaited<ReturnType<typeof prepareGround>>['common'];

/** A scheduler that can be taken away from its servers. */
async function createReplica(common: Common, id: string) {
  const [toPostgres, toRedis] = await Promise.all([startProxy(common.db.url), startProxy(common.redis.url)]);
  const redis = { ...common.redis, url: toRedis.url };
  const connection = connectRedis(redis);
  const db = openDatabase({ url: toPostgres.url, applicationName: id });
  const queue = createRunQueue(connection);
  const parts = await createParts({ ...common, db, redis, connection, queue }, id);
  afterFile(async () => {
    await queue.close();
    await connection.close();
    await db.close();
  });
  return {
    ...parts,
    /** Its connections are reset, as when its process is killed, and stay so. */
    die(): void {
      toPostgres.reset();
      toRedis.reset();
    },
  };
}

/** Servers, connections, and what all parts of the fleet are given: to Postgres as a scheduler, as workers, and as the owner. */
async function prepareGround(repeatable: RepeatRange, redisRules: string | undefined) {
  const { url } = await testDatabase();
  const server = await testRedis();
  const user = redisRules === undefined ? undefined : await server.user(redisRules);
  const redis = { url: user?.url ?? server.url, namespace: 'default' };
  const log = createEventLog();
  const connection = connectRedis(redis);
  const refusals: string[] = [];
  const common = {
    db: openDatabase({ url: asUser(url, 'scheduler'), applicationName: 'test scheduler' }),
    redis,
    server,
    user,
    connection,
    queue: createRunQueue(connection),
    emit: log.emit,
    // What goes on after an error would hide that a role lacks a right.
    onError: (error: unknown) => {
      if (/permission denied for|must be owner of/.test(String(error))) refusals.push(String(error));
    },
    clock: systemClock,
    horizonMs: HORIZON_MS,
    repeatable,
  };
  return {
    common,
    log,
    refusals,
    db: openDatabase({ url, applicationName: 'test' }),
    workersDb: openDatabase({ url: asUser(url, 'worker'), applicationName: 'test worker' }),
  };
}

/** The parts of a scheduler, none of them started; its heartbeat was sent once. */
async function createParts(common: Common, id = 'scheduler-1') {
  const { db, connection } = common;
  const process = { id, role: 'scheduler', host: 'test', pid: 1, appVersion: '0', pools: [] } as const;
  const heartbeat = createHeartbeat({
    ...common,
    process,
    activeRuns: () => [],
    maxClockOffsetMs: 500,
    failingAfterMs: LEASE_MS,
  });
  const shared = { ...common, databaseNow: heartbeat.databaseNow, mayWork: () => true };
  const dispatcher = createDispatcher(shared);
  const definitions = createDefinitions(db);
  const contents = createQueueContents(connection);
  const jobSchedulers = createJobSchedulers(connection);
  const healing = { definitions, contents, leases: connection, deadMs: LEASE_MS };
  const newReconciler = (clock: Clock = systemClock, steadyMs = LEASE_MS) =>
    createReconciler({ ...shared, ...healing, clock, steadyMs: () => steadyMs });
  const newRepeatableJobSync = () => createRepeatableJobSync({ ...shared, jobSchedulers });
  await heartbeat.runOnce();
  return {
    dispatcher,
    planner: createPlanner({ ...shared, dispatcher, onPass: () => undefined }),
    contents,
    jobSchedulers,
    reconciler: newReconciler(),
    repeatableJobSync: newRepeatableJobSync(),
    /** Those of another replica. */
    newReconciler,
    newRepeatableJobSync,
    misfires: createMisfires({ ...shared, dispatcher }),
    requests: createRequests({ ...shared, connection, contents, leases: connection, processId: id }),
    jobs: createJobs({ ...shared, processId: id }),
    /** The scheduler's own, of what no worker does. */
    followersOutbox: createFollowersOutbox({ ...shared, dispatcher }),
  };
}

function createEventLog() {
  const events: EngineEvent[] = [];
  const watchers: ((event: EngineEvent) => void)[] = [];
  return {
    events,
    emit(event: EngineEvent): void {
      events.push(event);
      for (const watcher of [...watchers]) watcher(event);
    },
    next<Name extends EngineEvent['event']>(
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
  };
}

async function ledgerRows(db: Database, task: string): Promise<LedgerRow[]> {
  const { rows } = await db.pool.query<LedgerRow>(
    `SELECT r.id, r.state, r.reason, r.origin, r.attempt, r.lost, r.blocked_by, r.occurrences, r.scheduled_for, r.due_at,
       r.started_at, r.task_version
     FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1 ORDER BY r.scheduled_for, r.created_at`,
    [task],
  );
  return rows;
}

/** A run of a task that a worker has begun; nothing runs it. */
export async function activeOn(db: Database, worker: string, task: string): Promise<string> {
  const id = await triggerTask(db, task, { by: by('test') });
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
  return await saveTask(
    db,
    { handler: { type: 'shell', command: 'true' }, ...task },
    { source: 'test', by: by('test') },
  );
}

/** An interval whose last and next occurrence are half of it away, whenever the tests run. */
export function halfway(everyMs: number) {
  return { kind: 'every', everyMs, phaseMs: (systemClock.now().getTime() + everyMs / 2) % everyMs } as const;
}

/**
 * Puts a task's next run in the past, as if no scheduler had been there. Its schedule may be due once more since then: one that fires once a
 * day is not, where that matters.
 */
export async function wasDue(db: Database, task: string, agoMs: number): Promise<void> {
  await db.pool.query(
    `UPDATE task_plan SET next_run_at = date_trunc('milliseconds', now() - $2 * interval '1 ms'), plan_seq = plan_seq + 1
     WHERE task_id = (SELECT id FROM task WHERE namespace = $3 AND name = $1)`,
    [task, agoMs, db.namespace],
  );
}
