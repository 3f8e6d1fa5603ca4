import type { Clock, Emit, EngineEvent, HandlerLookup } from '@escapement/core';
import type { Enqueue } from '@escapement/operations';
import {
  connectRedis,
  createLeaseKeeper,
  createRunConsumer,
  createRunQueue,
  prioritize,
  type RedisConnection,
  type RedisOptions,
  type Repeat,
  type RunQueue,
  type RunRef,
} from '@escapement/queue';
import {
  type CheckResult,
  checkRedis,
  createHeartbeat,
  errorsOf,
  type Heartbeat,
  type OnError,
} from '@escapement/service';
import {
  type BeginRequest,
  beginRuns,
  createDefinitions,
  createGroupCommit,
  type Database,
  type FinishRequest,
  finishAndWake,
  lookUpRepeats,
  lookUpRuns,
  type ProcessInfo,
  taskPriorities,
  type WaitRequest,
  waitRuns,
} from '@escapement/store';
import { createBatchWatch } from './batches/batch-watch.ts';
import { createCalls } from './calls/calls.ts';
import { createActiveRuns } from './execute/active-runs.ts';
import { createCancelWatch } from './execute/cancel-watch.ts';
import { executeRepeat, type RepeatDeps } from './execute/execute-repeat.ts';
import { executeRun, PREPARE_MS } from './execute/execute-run.ts';
import { createProgressWriter } from './execute/progress-writer.ts';
import { createRunLogWriter, type RunLogWriterOptions } from './execute/run-log-writer.ts';
import { createOwnFollowers } from './own-followers.ts';

export interface WorkerOptions {
  db: Database;
  redis: RedisOptions;
  /** Where the leases are. Default: where the queues are. */
  leaseRedis?: RedisOptions;
  process: ProcessInfo;
  handlers: HandlerLookup;
  /** Runs at once, in each pool. */
  concurrency: number;
  /** A lease or heartbeat that is not renewed for so long is void. Milliseconds. */
  leaseMs: number;
  maxClockOffsetMs: number;
  clock: Clock;
  emit: Emit;
  onError: OnError;
}

export interface Worker {
  readonly heartbeat: Heartbeat;
  /** Runs held at this moment. */
  readonly active: number;
  /** Whether the queue answers, and how fast. */
  checkQueue(): Promise<CheckResult>;
  /** The same of the Redis for leases. */
  checkLeases(): Promise<CheckResult>;
  /** Begins to take runs once the first heartbeat has shown that clock and database are sound. */
  start(): Promise<void>;
  /** Takes no more runs, lets those under way end within `graceMs`, aborts the rest, says goodbye. */
  stop(graceMs: number): Promise<void>;
}

/** Share of the lease time after which a heartbeat, or a renewal of a lease, that was not confirmed is no proof any more. */
export const SELF_ABORT_SHARE = 0.8;
const PAUSE_MS = 2000;
/** A worker that Postgres does not hear can begin nothing: what it took from Redis would only wait in its hands. */
const MUST_NOT_TAKE: readonly EngineEvent['event'][] = ['clock_off', 'heartbeat_failing'];
const MAY_TAKE: readonly EngineEvent['event'][] = ['clock_ok', 'heartbeat_ok'];
/** After the grace time everything must be over within 5 s (I11): handlers have 3, the goodbyes the rest. */
const SHUTDOWN_ABORT_MS = 3000;
const CLOSE_MS = 500;
/** The key's slots are locked meanwhile, and the run that is at work there may want to end. */
const WAITS_AT_ONCE = 16;

/** Executes runs of its pools until it is stopped. */
export function createWorker(options: WorkerOptions): Worker {
  const { db, redis, emit, onError } = options;
  const active = createActiveRuns();
  let stopping = false;
  let ended = false;
  const leases = leaseKeeperOf(options);
  const connection = connectRedis(redis);
  const mayPersist = () => !ended;
  const writers = createWriters(options, mayPersist);
  const following = createFollowing(options, queueOf(options, connection), mayPersist);
  const deps: RepeatDeps = {
    ...options,
    leases,
    logs: writers.logs,
    progress: writers.progress,
    active,
    ...following,
    workerId: options.process.id,
    mayPersist,
    ...groupCommits(db),
  };
  const consumer = createRunConsumer({
    redis,
    pools: options.process.pools,
    concurrency: options.concurrency,
    leaseMs: options.leaseMs,
    ...executors(deps, onError),
    now: () => heartbeat.databaseNow(),
    onError: errorsOf('consumer', onError),
  });
  const heartbeat = createHeartbeat({
    ...options,
    activeRuns: active.ids,
    failingAfterMs: options.leaseMs * SELF_ABORT_SHARE,
    onFailing: () => active.abortUnproven(options.leaseMs * (1 - SELF_ABORT_SHARE)),
    emit(event) {
      emit(event);
      if (MUST_NOT_TAKE.includes(event.event)) void consumer.pause().catch(onError);
      if (MAY_TAKE.includes(event.event) && !stopping && heartbeat.clockOk() && heartbeat.fresh()) consumer.resume();
    },
  });
  const cancelWatch = createCancelWatch({ db, active, clock: options.clock, onError });

  async function stop(graceMs: number): Promise<void> {
    stopping = true;
    await Promise.race([consumer.pause().catch(onError), pause(Math.min(graceMs, PAUSE_MS))]);
    await Promise.race([active.empty(), pause(graceMs)]);
    active.abortAll('shutdown');
    await Promise.race([active.empty(), pause(SHUTDOWN_ABORT_MS)]);
    await Promise.race([following.followers.idle(), pause(CLOSE_MS)]);
    ended = true;
    const goodbyes = [writers.stop(), cancelWatch.stop(), heartbeat.stop(), leases.close(), connection.close()];
    await Promise.race([Promise.all(goodbyes).catch(onError), pause(CLOSE_MS)]);
    await consumer.close(CLOSE_MS);
  }

  return {
    heartbeat,
    get active() {
      return active.size;
    },
    checkQueue: () => checkRedis(connection.ping),
    checkLeases: () => checkRedis(leases.ping),
    async start() {
      heartbeat.start();
      cancelWatch.start();
      await Promise.all([leases.ready, firstHeartbeat(heartbeat, () => stopping)]);
      if (!stopping) consumer.start();
    },
    stop,
  };
}

function leaseKeeperOf({ leaseRedis, redis, leaseMs, onError }: WorkerOptions) {
  return createLeaseKeeper({ redis: leaseRedis ?? redis, leaseMs, onError: errorsOf('leases', onError) });
}

function queueOf(options: WorkerOptions, connection: RedisConnection): RunQueue {
  return prioritize(createRunQueue(connection), { ...options, priorities: taskPriorities(options.db) });
}

function executors(deps: RepeatDeps, onError: WorkerOptions['onError']) {
  return {
    prepareMs: PREPARE_MS,
    execute: (ref: RunRef) =>
      untilSlotReleased((releaseConcurrencySlot) =>
        executeRun(ref, { ...deps, releaseConcurrencySlot }).catch((thrown) =>
          deps.emit({ event: 'begin_failed', run: ref.runId, error: toError(thrown) }),
        ),
      ),
    // Which run it would have been is not known; the dispatcher brings it back.
    executeRepeat: (repeat: Repeat) =>
      untilSlotReleased((releaseConcurrencySlot) =>
        executeRepeat(repeat, { ...deps, releaseConcurrencySlot }).catch(errorsOf('repeats', onError)),
      ),
  };
}

/**
 * Resolves with the work, or as soon as it only waits: the queue is then done with its job and brings another. Nothing
 * else depends on the job: the ledger and the heartbeats know the run.
 */
function untilSlotReleased(work: (releaseConcurrencySlot: () => void) => Promise<void>): Promise<void> {
  return new Promise((resolve) => void work(resolve).then(resolve));
}

/** What brings to the ledger what runs say while they are on. */
function createWriters({ db, emit, onError }: WorkerOptions, mayPersist: () => boolean) {
  const onLost: RunLogWriterOptions['onLost'] = (run, characters, error) =>
    emit({ event: 'log_lost', run, characters, error });
  const logs = createRunLogWriter({ db, onLost, mayPersist });
  const progress = createProgressWriter({ db, onError: errorsOf('progress', onError) });
  return { logs, progress, stop: async () => void (await Promise.all([logs.stop(), progress.stop()])) };
}

/** What a run may want of others: what follows it made, its batch carried on, its handler's questions answered. */
function createFollowing(options: WorkerOptions, queue: RunQueue, mayPersist: () => boolean) {
  const { db, onError } = options;
  const definitions = createDefinitions(db);
  const enqueue = enqueuer(queue);
  const wake = enqueuer(queue, { first: true });
  const batches = createBatchWatch({ db, enqueue, onError: errorsOf('batches', onError) });
  const following = { ...options, definitions, enqueue, mayPersist, onError: errorsOf('followers-outbox', onError) };
  return {
    definitions,
    enqueue,
    wake,
    batches,
    followers: createOwnFollowers(following),
    calls: createCalls({ db, batches, mayPersist }),
  };
}

function enqueuer(queue: RunQueue, { first }: { first: boolean } = { first: false }): Enqueue {
  return async (runs) => {
    if (runs.length === 0) return;
    await queue.add(runs.map(({ id: runId, pool, dispatch }) => ({ runId, pool, dispatch, delayMs: 0, first })));
  };
}

function groupCommits(db: Database): Pick<RepeatDeps, 'lookUps' | 'repeatLookUps' | 'begins' | 'waits' | 'finishes'> {
  return {
    lookUps: createGroupCommit({
      run: async (batch: readonly { runId: string; scheduledFor: Date }[]) =>
        (await lookUpRuns(db, batch)).map((run) => ({ run })),
      placeOf: () => undefined,
      maxInFlight: 1,
    }),
    repeatLookUps: createGroupCommit({
      run: async (batch: readonly Repeat[]) => (await lookUpRepeats(db, batch)).map((run) => ({ run })),
      placeOf: () => undefined,
      maxInFlight: 1,
    }),
    begins: createGroupCommit({
      run: (batch: readonly BeginRequest[]) => beginRuns(db, batch),
      placeOf: (request) => (request.slot === null ? undefined : `${request.key} ${request.slot}`),
    }),
    // Of one key they come one after the other in any case: each for itself, a crowd would have all connections.
    waits: createGroupCommit({
      run: (batch: readonly WaitRequest[]) => waitRuns(db, batch),
      placeOf: () => undefined,
      maxBatch: WAITS_AT_ONCE,
      maxInFlight: 1,
    }),
    finishes: createGroupCommit({
      run: (batch: readonly FinishRequest[]) => finishAndWake(db, batch),
      placeOf: (finishRequest) => finishRequest.runId,
    }),
  };
}

/** Resolves once the clock is known to be sound. */
async function firstHeartbeat(heartbeat: Heartbeat, givenUp: () => boolean): Promise<void> {
  while (!heartbeat.clockOk() && !givenUp()) await pause(20);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
