import { type Clock, type Emit, type EngineEvent, type HandlerLookup, queuesOf } from '@escapement/core';
import { NO_TRACING, type Tracing } from '@escapement/core/traces';
import {
  connectRedis,
  createLeaseKeeper,
  createRunConsumer,
  createRunQueue,
  type LeaseCounts,
  type MalformedJob,
  prioritize,
  type RedisConnection,
  type RedisOptions,
  type Repeat,
  type RunConsumer,
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
import { createDefinitions, type Database, type ProcessInfo, taskPriorities } from '@escapement/store';
import { createActiveRuns } from './execute/active-runs.ts';
import { createCancelWatch } from './execute/cancel-watch.ts';
import { createExecutor, type Executor } from './execute/executor.ts';
import { PREPARE_MS, PREPARE_TOGETHER_MS } from './execute/look-up.ts';
import { createNoteNext } from './execute/next-has-passed.ts';
import { createProgressWriter } from './execute/progress-writer.ts';
import { createRunLedger } from './execute/run-ledger.ts';
import { createRunLogWriter, type RunLogWriterOptions } from './execute/run-log-writer.ts';
import { createFollowing } from './following.ts';

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
  /** Default: it records no traces. */
  tracing?: Tracing;
  emit: Emit;
  onError: OnError;
  /** Told that the ledger was restored from a dump while this process ran. Default: nobody. */
  onRestored?: (() => void) | undefined;
}

export interface Worker {
  readonly heartbeat: Heartbeat;
  /** Runs held at this moment. */
  readonly active: number;
  leaseCounts(): LeaseCounts;
  /** Whether the queue answers, and how fast. */
  checkQueue(): Promise<CheckResult>;
  /** The same of the Redis for leases. */
  checkLeases(): Promise<CheckResult>;
  /** Begins to take runs once the first heartbeat has shown that clock and database are sound. */
  start(): Promise<void>;
  /** Takes no more runs, lets those under way end within `graceMs`, aborts the rest, shuts down. */
  stop(graceMs: number): Promise<void>;
}

/** Share of the lease time after which a heartbeat, or a renewal of a lease, that was not confirmed is no proof any more. */
export const SELF_ABORT_SHARE = 0.8;
const PAUSE_MS = 2000;
/** A worker that cannot reach Postgres can begin nothing: jobs that it took from Redis would only wait. */
const MUST_NOT_TAKE: readonly EngineEvent['event'][] = ['clock_off', 'heartbeat_failing'];
const MAY_TAKE: readonly EngineEvent['event'][] = ['clock_ok', 'heartbeat_ok'];
/** After the grace time everything must be over within 5 s (I11): handlers have 3, the shutdowns the rest. */
const SHUTDOWN_ABORT_MS = 3000;
const CLOSE_MS = 500;

/** Executes runs of its pools until it is stopped. */
export function createWorker(options: WorkerOptions): Worker {
  const { db, redis, onError, tracing = NO_TRACING } = options;
  const active = createActiveRuns({ isHeard: () => heartbeat.fresh(), marginMs: marginOf(options) });
  const queues = queuesOf(options.process.pools, options.process.offers ?? []);
  let stopping = false;
  let ended = false;
  const leases = leaseKeeperOf(options);
  const connection = connectRedis(redis);
  const mayPersist = () => !ended;
  const writers = createWriters(options, mayPersist);
  const definitions = createDefinitions(db);
  const takeWithoutJob: RunConsumer['takeWithoutJob'] = (ref) => consumer.takeWithoutJob(ref);
  const queue = queueOf(options, connection);
  const following = createFollowing({ ...options, queue, takeWithoutJob, definitions, mayPersist, tracing });
  const executor = createExecutor({
    ...options,
    ...following,
    ...writers,
    ledger: createRunLedger({ ...options, definitions, mayPersist, mayBegin: active.mayBegin, queues }),
    leases,
    ...{ active, tracing, noteNext: createNoteNext(options), databaseNow: () => heartbeat.databaseNow() },
    workerId: options.process.id,
    onPausedPool: (pool) => consumer.holdPool(pool),
    random: Math.random,
  });
  const consumer = createRunConsumer({
    ...options,
    queues,
    ...takersOf(executor, options),
    now: () => heartbeat.databaseNow(),
  });
  const heartbeat = createHeartbeat({
    ...options,
    process: { ...options.process, concurrency: options.concurrency },
    ...{ activeRuns: active.ids, failingAfterMs: options.leaseMs * SELF_ABORT_SHARE },
    onHeldPools: (pools) => consumer.holdPools(pools),
    onFailing: active.abortUnproven,
    emit: ruling(consumer, options, () => !stopping && heartbeat.clockOk() && heartbeat.fresh()),
  });
  const cancelWatch = createCancelWatch({ db, active, clock: options.clock, onError });

  async function stop(graceMs: number): Promise<void> {
    stopping = true;
    await Promise.race([consumer.pause().catch(onError), pause(Math.min(graceMs, PAUSE_MS))]);
    await Promise.race([active.empty(), pause(graceMs)]);
    active.abortAll('shutdown');
    await Promise.race([active.empty(), pause(SHUTDOWN_ABORT_MS)]);
    await Promise.race([Promise.all([following.followers.idle(), following.rates.stop()]), pause(CLOSE_MS)]);
    ended = true;
    const shutdowns = [writers.stop(), cancelWatch.stop(), heartbeat.stop(), leases.close(), connection.close()];
    await Promise.race([Promise.all(shutdowns).catch(onError), pause(CLOSE_MS)]);
    await consumer.close(CLOSE_MS);
  }

  return {
    heartbeat,
    get active() {
      return active.size;
    },
    leaseCounts: leases.counts,
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

function marginOf({ leaseMs }: WorkerOptions): number {
  return leaseMs * (1 - SELF_ABORT_SHARE);
}

/** Emits what a heartbeat says, and has the consumer take runs accordingly. */
function ruling(consumer: RunConsumer, { emit, onError }: WorkerOptions, mayTake: () => boolean): Emit {
  return (event) => {
    emit(event);
    if (MUST_NOT_TAKE.includes(event.event)) void consumer.pause().catch(onError);
    if (MAY_TAKE.includes(event.event) && mayTake()) consumer.resume();
  };
}

function leaseKeeperOf({ leaseRedis, redis, leaseMs, onError }: WorkerOptions) {
  return createLeaseKeeper({ redis: leaseRedis ?? redis, leaseMs, onError: errorsOf('leases', onError) });
}

function queueOf(options: WorkerOptions, connection: RedisConnection): RunQueue {
  return prioritize(createRunQueue(connection), { ...options, priorities: taskPriorities(options.db) });
}

/** What the queue calls with what it brings. */
function takersOf({ execute, executeRepeat }: Executor, { emit, onError }: WorkerOptions) {
  return {
    prepareMs: PREPARE_MS,
    prepareTogetherMs: PREPARE_TOGETHER_MS,
    onError: errorsOf('consumer', onError),
    onMalformed: ({ queue, reason }: MalformedJob) =>
      emit({ event: 'job_refused', queue, run: null, why: 'malformed', detail: reason }),
    execute: (ref: RunRef) =>
      untilPlaceReleased((releasePlace) =>
        execute(ref, releasePlace).catch((thrown) =>
          emit({ event: 'begin_failed', run: ref.runId, error: toError(thrown) }),
        ),
      ),
    // Which run it would have been is not known; the dispatcher brings it back.
    executeRepeat: (repeat: Repeat) =>
      untilPlaceReleased((releasePlace) => executeRepeat(repeat, releasePlace).catch(errorsOf('repeats', onError))),
  };
}

/**
 * Resolves with the work, or as soon as it only waits: the queue is then done with its job and brings another. Nothing
 * else depends on the job: the ledger and the heartbeats know the run.
 */
function untilPlaceReleased(work: (releasePlace: () => void) => Promise<void>): Promise<void> {
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
