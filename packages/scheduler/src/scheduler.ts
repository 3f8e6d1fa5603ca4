import { type Clock, type Emit, type RepeatRange, SECOND } from '@escapement/core';
import type { DefaultReceivers } from '@escapement/core/alerts';
import type { AwayDuring } from '@escapement/core/plan';
import type { Tracing } from '@escapement/core/traces';
import type { Enqueue } from '@escapement/operations';
import {
  connectRedis,
  createJobSchedulers,
  createQueueContents,
  createRunQueue,
  letBurstsStepBack,
  prioritize,
  type RedisConnection,
  type RedisOptions,
  removeQueues,
} from '@escapement/queue';
import {
  type CheckResult,
  checkRedis,
  createHeartbeat,
  type Heartbeat,
  type Loop,
  type OnError,
  type Service,
} from '@escapement/service';
import {
  createDefinitions,
  type Database,
  ensurePartitions,
  findOldest,
  type HintListener,
  isConnectionError,
  listenForWake,
  type ProbeKind,
  type ProcessInfo,
  probeLedger,
  taskPriorities,
} from '@escapement/store';
import { createAlerts } from './alerts/alerts.ts';
import { createDeliverer, type DelivererOptions } from './alerts/deliverer.ts';
import { createBackfiller } from './backfiller.ts';
import { createBatchKeeper } from './batch-keeper.ts';
import { createChanger } from './changer.ts';
import { createDispatcher, type Dispatcher } from './dispatcher.ts';
import { createErrorGrouper } from './error-grouper.ts';
import { triggerFleetStart } from './fleet-start.ts';
import { createFollowersOutbox } from './followers-outbox.ts';
import { createLookStart } from './look-start.ts';
import { createMisfires } from './misfires.ts';
import { createOutages, type Outages } from './outages.ts';
import { createPlanner } from './planner.ts';
import { createProbes, type Probes, SHARED_KINDS } from './probes.ts';
import { createPruner, type PrunerOptions } from './pruner.ts';
import { createRateKeeper } from './rate-keeper.ts';
import { createReconciler } from './reconciler/reconciler.ts';
import { createRepeatableJobSync } from './repeatable-job-sync.ts';
import { createJobs, createRequests } from './requests/requests.ts';
import { createRollUp } from './roll-up.ts';
import { createSignOfLife } from './sign-of-life.ts';
import { createZoneKeeper } from './zone-keeper.ts';

export interface SchedulerOptions {
  db: Database;
  redis: RedisOptions;
  /** Where the leases are. Default: where the queues are. */
  leaseRedis?: RedisOptions;
  process: ProcessInfo;
  /** How far ahead rows are made and queued. Milliseconds. */
  horizonMs: number;
  /**
   * Steady intervals of this range ride BullMQ's repeatable jobs, all others its delayed jobs; at most up to the horizon.
   * Default: from 5 s on.
   */
  repeatable?: RepeatRange;
  /** A worker that has not sent a heartbeat for so long is dead. Milliseconds. */
  leaseMs: number;
  maxClockOffsetMs: number;
  /** Who is told of alerts that no task and no route names anybody for, and how messages leave. Default: nobody judges by the rules of alerts. */
  alerting?:
    | ({ defaults: DefaultReceivers } & Pick<DelivererOptions, 'send' | 'render' | 'traceUrl' | 'apiUrl'>)
    | undefined;
  clock: Clock;
  /** Default: it records no traces. */
  tracing?: Tracing;
  emit: Emit;
  onError: OnError;
  /** Told that the ledger was restored from a dump while this process ran. Default: nobody. */
  onRestored?: (() => void) | undefined;
}

export interface Scheduler {
  readonly heartbeat: Heartbeat;
  /** When the planner last completed a pass, on the monotonic clock; undefined: not yet. */
  lastPlannedMs(): number | undefined;
  /** Whether the queue answers, and how fast. */
  checkQueue(): Promise<CheckResult>;
  /** The same of the Redis where the leases are. */
  checkLeases(): Promise<CheckResult>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const AHEAD_DAYS = 21;
const STOP_MS = 3000;
/** A repeat costs a worker twice what a delayed job does: where many are due each second, delayed jobs are on time for longer. */
const MIN_REPEAT_MS = 5 * SECOND;

/** Plans due tasks into the queue and heals it. Any number may run at once; there is no leader. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { db, clock, emit, onError, redis, leaseRedis = redis } = options;
  const planned = lastPass(clock);
  const outages = createOutages(() => (heartbeat.databaseNow() ?? clock.now()).getTime());
  const connection = connectRedis({ ...redis, onAway: (away) => outages[away ? 'began' : 'ended']('Redis') });
  const leases = leaseRedis === redis ? connection : connectRedis(leaseRedis);
  const fair = letBurstsStepBack(createRunQueue(connection), options);
  const queue = prioritize(fair, { ...options, priorities: taskPriorities(db) });
  const lives = { activeRuns: () => [], plannedAgeMs: planned.ageMs, failingAfterMs: options.leaseMs };
  const heartbeat = createHeartbeat({ ...options, ...lives, ...watchPostgres(outages, options) });
  const probes = createProbes({ look: glancing(options), clock });
  const seen = { probes, away: outages.during };
  const shared = { ...options, ...seen, repeatable: repeatRange(options), queue, mayWork: heartbeat.clockOk };
  const dispatcher = createDispatcher({
    ...shared,
    // BullMQ counts delays by this process' own clock.
    databaseNow: () => (heartbeat.clockOk() ? heartbeat.databaseNow() : null),
  });
  const planner = createPlanner({ ...shared, dispatcher, onPass: planned.note });
  const inRedis = { connection, contents: createQueueContents(connection), leases, processId: options.process.id };
  const reconciler = createReconciler({
    ...shared,
    ...inRedis,
    databaseNow: heartbeat.databaseNow,
    definitions: createDefinitions(db),
    steadyMs: heartbeat.steadyMs,
    deadMs: options.leaseMs,
  });
  const jobSchedulers = createJobSchedulers(connection, clock);
  const repeatableJobSync = createRepeatableJobSync({ ...shared, jobSchedulers });
  const rateKeeper = createRateKeeper({ ...shared, enqueue: enqueueBy(dispatcher) });
  const requests = [createRequests({ ...shared, ...inRedis }), createJobs({ ...shared, ...inRedis })];
  const zoneKeeper = createZoneKeeper({ ...options, tzVersion: options.process.tzVersion });
  const services: Service[] = [
    dispatcher,
    planner,
    repeatableJobSync,
    reconciler,
    ...requests,
    rateKeeper,
    zoneKeeper,
    ...keepers({ ...options, ...seen, removeQueues: (names) => removeQueues(connection, names) }, dispatcher),
    ...alerting({ ...options, probes, redisAwayMs: () => outages.awayMs('Redis') }),
  ];
  let listener: HintListener | undefined;

  return {
    heartbeat,
    lastPlannedMs: planned.atMs,
    ...checksOf(connection, leases),
    async start() {
      // Whoever needs one that is missing makes it: a start need not fail for want of them.
      await ensurePartitions(db, clock.now(), AHEAD_DAYS).catch(onError);
      // Before anything is planned by the clock of a zone that has changed.
      await zoneKeeper.runOnce().catch(onError);
      const started = await triggerFleetStart(db, options.process.id, onError);
      if (started.length > 0) emit({ event: 'fleet_started', tasks: started });
      heartbeat.start();
      for (const service of services) service.start();
      const woken = [planner, dispatcher, repeatableJobSync, ...requests];
      listener = listenForWake(db, waker(probes, woken), rateKeeper.wake);
    },
    async stop() {
      const stopped = Promise.all([listener?.stop(), ...services.map((service) => service.stop())]);
      await Promise.race([stopped.catch(onError), pause(STOP_MS)]);
      await Promise.race([heartbeat.stop(), pause(STOP_MS)]);
      const closed = queue.close().then(() => Promise.all([connection.close(), leases.close()]));
      await Promise.race([closed, pause(STOP_MS)]).catch(onError);
    },
  };
}

function checksOf(queues: RedisConnection, leases: RedisConnection): Pick<Scheduler, 'checkQueue' | 'checkLeases'> {
  return { checkQueue: () => checkRedis(queues.ping), checkLeases: () => checkRedis(leases.ping) };
}

/** When a loop last completed a pass. */
function lastPass(clock: Clock) {
  let atMs: number | undefined;
  return {
    note(): void {
      atMs = clock.monotonicMs();
    },
    /** On the monotonic clock; undefined: not yet. */
    atMs: () => atMs,
    ageMs: () => (atMs === undefined ? null : clock.monotonicMs() - atMs),
  };
}

/** A heartbeat that failed tells that Postgres does not answer, since when at the latest, and one that got through that it does again. */
function watchPostgres({ began, ended }: Outages, { clock, onError }: SchedulerOptions) {
  let lastMs: number | undefined;
  return {
    onConfirmed(): void {
      lastMs = clock.monotonicMs();
      ended('Postgres');
    },
    onError(error: unknown): void {
      if (isConnectionError(error)) began('Postgres', lastMs === undefined ? 0 : clock.monotonicMs() - lastMs);
      onError(error, { name: 'heartbeat' });
    },
  };
}

/** What goes on by itself, and needs nothing of the others but the queue. */
function keepers(
  options: SchedulerOptions & { probes: Probes; away: AwayDuring } & Pick<PrunerOptions, 'removeQueues'>,
  dispatcher: Dispatcher,
): Service[] {
  const enqueue = enqueueBy(dispatcher);
  return [
    createMisfires({ ...options, dispatcher }),
    createPruner(options),
    createRollUp(options),
    createErrorGrouper(options),
    createBackfiller(options),
    createBatchKeeper({ ...options, enqueue }),
    createChanger(options),
    createSignOfLife(options),
    createFollowersOutbox({ ...options, dispatcher }),
  ];
}

/** A probe that also keeps where the looks of all loops begin. */
function glancing({ db, clock }: SchedulerOptions): () => Promise<ReadonlySet<ProbeKind>> {
  const start = createLookStart({ look: () => findOldest(db), openFrom: db.openFrom, clock });
  return async () => {
    const seen = await probeLedger(db, SHARED_KINDS);
    // No loop waits for it. Where Postgres is away the probes say so themselves.
    start.keep(seen.has('live') || seen.has('untold') || seen.has('unrepeated')).catch(() => undefined);
    return seen;
  };
}

function alerting(options: SchedulerOptions & { probes: Probes; redisAwayMs: () => number | null }): Service[] {
  const { alerting: given, process, leaseMs } = options;
  if (!given) return [];
  return [
    createAlerts({ ...options, holder: process.id, deadMs: leaseMs, defaults: given.defaults }),
    createDeliverer({ ...options, ...given }),
  ];
}

function waker(probes: Probes, loops: readonly Loop[]): () => void {
  return () => {
    probes.forget();
    for (const each of loops) each.wake();
  };
}

function enqueueBy(dispatcher: Dispatcher): Enqueue {
  return async (runs) => void (await dispatcher.enqueue(runs));
}

function repeatRange({ repeatable, horizonMs }: SchedulerOptions): RepeatRange {
  const { fromMs = MIN_REPEAT_MS, toMs = horizonMs } = repeatable ?? {};
  return { fromMs, toMs: Math.min(toMs, horizonMs) };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
