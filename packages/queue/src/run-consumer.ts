import { setTimeout as sleep } from 'node:timers/promises';
import { LEASE_MS, SECOND, systemClock } from '@escapement/core';
import { type Job, WaitingError } from 'bullmq';
import { toError } from './connection.ts';
import { createErrorGate } from './error-gate.ts';
import { checkNamespace } from './keys.ts';
import { PoolWorker, WorkerClient } from './pool-worker.ts';
import type { RedisOptions } from './redis-options.ts';
import { type RunRef, runJobData } from './run-job.ts';
import { createSilenceWatch } from './silence-watch.ts';
import { isTickData, parseTickJob, type Tick, type TickJob } from './tick-job.ts';
import { createTickPromoter } from './tick-promoter.ts';

export interface MalformedJob {
  pool: string;
  jobId: string;
  reason: string;
}

export interface RunConsumerOptions {
  /** `onError` in here is not used: all errors go to `onError` below. */
  redis: RedisOptions;
  /** The pools to serve, each by itself: one that is full of work does not starve the others. */
  pools: readonly string[];
  /** Runs at once *in each pool*; a process with three pools may run three times as many. */
  concurrency: number;
  /** A job goes to another worker when its own has not been heard for so long, and one or two checks of 2 s. Default 10 s. */
  leaseMs?: number;
  /**
   * Executes a run to its end. What comes of it is the ledger's business: a rejection is reported to `onError`,
   * and the job is done with all the same. The same job may come twice (a blocked event loop, a lost link).
   */
  execute: (ref: RunRef) => Promise<void>;
  /** The same for the occurrence of a tick. Without it ticks are dropped. */
  executeTick?: (tick: Tick) => Promise<void>;
  /** The time by which delays count, Postgres'; null: not known. Default: this process' own. */
  now?: () => Date | null;
  /** Hears of errors at a bounded rate. */
  onError: (error: Error) => void;
  /** A job that is not one of ours, or of a version that this process cannot read. It is dropped. */
  onMalformed?: (job: MalformedJob) => void;
}

/** Takes runs out of the queues and has them executed. */
export interface RunConsumer {
  start(): void;
  /** Takes no more; a job that arrives all the same goes back for others. What is under way goes on. */
  pause(): Promise<void>;
  resume(): void;
  /**
   * Takes no more, waits for what is under way, disconnects. Resolves within `timeoutMs` in any case, with Redis
   * dead and with runs that do not end; what runs on then is left to the caller.
   */
  close(timeoutMs: number): Promise<void>;
  /** Runs under way. */
  readonly active: number;
}

const WATCH_MS = 5 * SECOND;

/** With nothing under way, BullMQ's own goodbye to Redis may take this long. */
const GOODBYE_MS = 2 * SECOND;

export function createRunConsumer(options: RunConsumerOptions): RunConsumer {
  const { redis, pools, concurrency, leaseMs = LEASE_MS } = options;
  const namespace = checkNamespace(redis.namespace);
  const workers = new Map<string, PoolWorker>();
  const report = createErrorGate(options.onError);
  const now = () => options.now?.() ?? systemClock.now();
  const ticks = createTickPromoter((pool) => workers.get(pool), now);
  const intake = createIntake({ ...options, now, onError: report, onTick: ticks.hold });
  const silence = createSilenceWatch();
  let client: WorkerClient | undefined;
  let watch: NodeJS.Timeout | undefined;
  let closing: Promise<void> | undefined;
  /** For what BullMQ and the connection say; at the end they complain about what was cut. */
  const complain = (error: Error): void => {
    if (!closing && !isLockNoise(error)) report(error);
  };

  function open(connected: WorkerClient, pool: string): void {
    const process = (job: Job<unknown, void>, token?: string) => intake.take(pool, job, token);
    const worker = new PoolWorker({ client: connected, namespace, pool, concurrency, leaseMs, process });
    worker.on('error', complain);
    worker.run().catch(complain);
    workers.set(pool, worker);
  }

  async function watchSilence(connected: WorkerClient): Promise<void> {
    const withRoom = [...workers].filter(([pool]) => intake.open && intake.activeIn(pool) < concurrency);
    const silent = silence.look(withRoom.map(([pool, worker]) => ({ pool, silentMs: worker.silentMs() })));
    if (silent.length === 0 || !(await answers(connected)) || closing) return;
    for (const pool of silent) {
      report(new Error(`the worker of pool "${pool}" heard nothing from Redis, which answers others: replaced`));
      workers.get(pool)?.close().catch(complain);
      open(connected, pool);
    }
  }

  async function shutDown(timeoutMs: number): Promise<void> {
    intake.close();
    ticks.stop();
    clearInterval(watch);
    const goodbyes = Promise.allSettled([...workers.values()].map((worker) => worker.close()));
    const idle = intake.idle().then(() => sleep(GOODBYE_MS, undefined, { ref: false }));
    await Promise.race([goodbyes, idle, sleep(timeoutMs)]);
    client?.destroy();
  }

  return {
    start() {
      if (client || closing) return;
      const connected = new WorkerClient(redis);
      client = connected;
      connected.on('error', complain);
      for (const pool of new Set(pools)) open(connected, pool);
      watch = setInterval(() => watchSilence(connected).catch(complain), WATCH_MS);
      watch.unref();
    },
    async pause() {
      intake.close();
      await Promise.all([...workers.values()].map((worker) => worker.pause(true)));
    },
    resume() {
      if (closing) return;
      intake.reopen();
      for (const worker of workers.values()) worker.resume();
    },
    close(timeoutMs) {
      closing ??= shutDown(timeoutMs);
      return closing;
    },
    get active() {
      return intake.active;
    },
  };
}

interface IntakeOptions extends RunConsumerOptions {
  now: () => Date;
  onTick: (tick: TickJob) => void;
}

/** Stands between BullMQ and `execute`: admits jobs or hands them back, and counts what is under way. */
function createIntake({ execute, executeTick, now, onTick, onError, onMalformed }: IntakeOptions) {
  const activeByPool = new Map<string, number>();
  const waiters: (() => void)[] = [];
  let open = true;
  let active = 0;

  function count(pool: string, change: 1 | -1): void {
    active += change;
    activeByPool.set(pool, (activeByPool.get(pool) ?? 0) + change);
    if (active === 0) for (const wake of waiters.splice(0)) wake();
  }

  async function run(pool: string, work: () => Promise<void>): Promise<void> {
    count(pool, 1);
    try {
      await work();
    } catch (error) {
      onError(toError(error));
    } finally {
      count(pool, -1);
    }
  }

  function tickOf(pool: string, job: Job<unknown, void>): TickJob | undefined {
    return isTickData(job.data) ? parseTickJob(pool, job.id ?? '', now()) : undefined;
  }

  return {
    get open() {
      return open;
    },
    get active() {
      return active;
    },
    activeIn: (pool: string) => activeByPool.get(pool) ?? 0,
    close() {
      open = false;
    },
    reopen() {
      open = true;
    },
    idle(): Promise<void> {
      return active === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve));
    },
    async take(pool: string, job: Job<unknown, void>, token?: string): Promise<void> {
      if (!open) return handBack(job, token);
      const tickJob = executeTick && tickOf(pool, job);
      if (executeTick && tickJob) {
        onTick(tickJob);
        return run(pool, () => executeTick(tickJob.tick));
      }
      const data = runJobData.safeParse(job.data);
      if (data.success) return run(pool, () => execute({ pool, runId: data.data.runId, dispatch: data.data.dispatch }));
      onMalformed?.({
        pool,
        jobId: job.id ?? '?',
        reason: data.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
      });
    },
  };
}

/** BullMQ may bring one more job after it was told to stop: others shall have it at once. */
async function handBack(job: Job<unknown, void>, token: string | undefined): Promise<never> {
  // Should this fail, the job's lock expires and it goes back to the others then.
  await job.moveToWait(token).catch(() => undefined);
  throw new WaitingError();
}

async function answers(client: WorkerClient): Promise<boolean> {
  const answer = client.ping().then(
    () => true,
    () => false,
  );
  return Promise.race([answer, sleep(2 * SECOND, false, { ref: false })]);
}

/**
 * After the event loop was blocked for longer than BullMQ's lock, or Redis was emptied, BullMQ cannot renew or
 * finish its jobs. Nothing depends on it: the ledger knows how the run ended and refuses the job should it come again.
 */
function isLockNoise(error: Error): boolean {
  return /could not renew lock for job|Missing (lock|key) for job|is not in the active state|Lock mismatch/i.test(
    error.message,
  );
}
