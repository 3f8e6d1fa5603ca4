import { setTimeout as sleep } from 'node:timers/promises';
import { LEASE_MS, SECOND, systemClock } from '@escapement/core';
import type { Processor } from 'bullmq';
import { createConnectionWatch } from './connection-watch.ts';
import { createErrorLimit } from './error-limit.ts';
import { createIntake } from './intake.ts';
import { checkNamespace } from './keys.ts';
import { PoolWorker, WorkerClient } from './pool-worker.ts';
import type { RedisOptions } from './redis-options.ts';
import type { Repeat } from './repeat-job.ts';
import { createRepeatPromoter } from './repeat-promoter.ts';
import type { RunRef } from './run-job.ts';

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
  /** `execute` is called so long before a run is due, at most; it has to wait for the rest. Milliseconds. Default 0. */
  prepareMs?: number;
  /** The same for the occurrence of a repeat. Without it repeats are dropped. */
  executeRepeat?: (repeat: Repeat) => Promise<void>;
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
  const report = createErrorLimit(options.onError);
  const now = () => options.now?.() ?? systemClock.now();
  const repeats = createRepeatPromoter((pool) => workers.get(pool), now);
  const intake = createIntake({ ...options, now, onError: report, onRepeat: repeats.hold });
  const connections = createConnectionWatch();
  let client: WorkerClient | undefined;
  let watch: NodeJS.Timeout | undefined;
  let closing: Promise<void> | undefined;
  /** For what BullMQ and the connection say; at the end they complain about what was cut. */
  const complain = (error: Error): void => {
    if (!closing && !isLockNoise(error)) report(error);
  };

  function open(connected: WorkerClient, pool: string): void {
    const process: Processor<unknown, void> = (job, token) => intake.take({ pool, worker, job, token });
    const worker = new PoolWorker({ client: connected, namespace, pool, concurrency, leaseMs, process });
    worker.on('error', complain);
    worker.run().catch(complain);
    workers.set(pool, worker);
  }

  async function watchConnections(connected: WorkerClient): Promise<void> {
    const withRoom = [...workers].filter(([pool]) => intake.open && intake.activeIn(pool) < concurrency);
    const silent = connections.look(withRoom.map(([pool, worker]) => ({ pool, silentMs: worker.silentMs() })));
    if (silent.length === 0 || !(await answers(connected)) || closing) return;
    for (const pool of silent) {
      report(new Error(`the worker of pool "${pool}" heard nothing from Redis, which answers others: replaced`));
      workers.get(pool)?.close().catch(complain);
      open(connected, pool);
    }
  }

  async function shutDown(timeoutMs: number): Promise<void> {
    intake.close();
    repeats.stop();
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
      watch = setInterval(() => watchConnections(connected).catch(complain), WATCH_MS);
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
