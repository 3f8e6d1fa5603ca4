import { setTimeout as sleep } from 'node:timers/promises';
import { LEASE_MS, SECOND, systemClock } from '@escapement/core';
import type { RunRef } from '../jobs/run-job.ts';
import { createErrorLimit } from '../redis/error-limit.ts';
import { checkNamespace } from '../redis/keys.ts';
import { createRepeatPromoter } from '../repeat/repeat-promoter.ts';
import { createIntake } from './intake.ts';
import { createPlacesByPool } from './places.ts';
import { WorkerClient } from './queue-worker.ts';
import { createQueueWorkers } from './queue-workers.ts';
import type { RunConsumerOptions } from './run-consumer-options.ts';

/** Takes runs out of the queues and has them executed. */
export interface RunConsumer {
  start(): void;
  /** Takes no more; a job that arrives all the same goes back for others. What is under way goes on. */
  pause(): Promise<void>;
  resume(): void;
  /** Takes nothing of these pools, and again of all others. */
  holdPools(pools: readonly string[]): void;
  /** Takes nothing of this pool either, until `holdPools` is called the next time. */
  holdPool(pool: string): void;
  /**
   * Executes a run that has no job, such as the next of a key that has just become free here: a way through Redis would take
   * longer than all the rest. False: there is no place for it at this moment, its queue is not consumed here, or it rests.
   */
  takeWithoutJob(ref: RunRef): boolean;
  /**
   * Takes no more, waits for what is under way, disconnects. Resolves within `timeoutMs` in any case, with Redis
   * dead and with runs that do not end; what runs on then is left to the caller.
   */
  close(timeoutMs: number): Promise<void>;
  /** Runs under way. */
  readonly active: number;
}

/** With nothing under way, BullMQ's own shutdown may take this long. */
const SHUTDOWN_MS = 2 * SECOND;

export function createRunConsumer(options: RunConsumerOptions): RunConsumer {
  const { redis, leaseMs = LEASE_MS } = options;
  const namespace = checkNamespace(redis.namespace);
  const report = createErrorLimit(options.onError);
  const now = () => options.now?.() ?? systemClock.now();
  let client: WorkerClient | undefined;
  let closing: Promise<void> | undefined;
  /** For what BullMQ and the connection say; at the end they complain about what was cut. */
  const complain = (error: Error): void => {
    if (!closing && !isLockNoise(error)) report(error);
  };
  const places = createPlacesByPool(options.concurrency);
  const workers = createQueueWorkers({
    ...options,
    namespace,
    leaseMs,
    take: (taken) => intake.take(taken),
    now,
    places,
    complain,
  });
  const repeats = createRepeatPromoter(workers.of, now);
  const intake = createIntake({
    ...options,
    now,
    onError: report,
    onRepeat: repeats.hold,
    isHeld: workers.isHeld,
    places,
  });

  async function shutDown(timeoutMs: number): Promise<void> {
    intake.close();
    repeats.stop();
    const shutdowns = workers.close();
    const idle = intake.idle().then(() => sleep(SHUTDOWN_MS, undefined, { ref: false }));
    await Promise.race([shutdowns, idle, sleep(timeoutMs)]);
    client?.destroy();
  }

  return {
    start() {
      if (client || closing) return;
      client = new WorkerClient(redis);
      client.on('error', complain);
      workers.open(client);
    },
    async pause() {
      intake.close();
      await workers.pause();
    },
    resume() {
      if (closing) return;
      intake.reopen();
      workers.resume();
    },
    holdPools: (pools) => workers.hold(new Set(pools)),
    holdPool: workers.holdToo,
    takeWithoutJob: intake.takeWithoutJob,
    close(timeoutMs) {
      closing ??= shutDown(timeoutMs);
      return closing;
    },
    get active() {
      return intake.active;
    },
  };
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
