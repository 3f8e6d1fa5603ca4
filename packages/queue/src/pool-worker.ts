import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, SECOND, systemClock } from '@escapement/core';
import { type Job, type JobJson, type Processor, Worker } from 'bullmq';
import { type Redis as Client, Redis } from 'ioredis';
import { poolPrefix } from './keys.ts';
import { patientOptions, type RedisOptions } from './redis-options.ts';
import { parseJobSchedulerId } from './tick-job.ts';

/**
 * A waiting worker asks again after this time. Short, so that a link that was cut silently is found by the
 * socket's time limit (5 s): Redis has to say something every two seconds.
 */
const MAX_BLOCK_SECONDS = 2;

/** After a failed fetch BullMQ tries again at once: 300 errors a second from a Redis whose memory is full. */
const BACKOFF_MS = { min: 100, max: 2 * SECOND };

/** The connection of all pools of a process; knows the copies that BullMQ makes of it for its blocking commands. */
export class WorkerClient extends Redis {
  private readonly copies = new Set<Client>();

  constructor(options: RedisOptions) {
    super(patientOptions(options));
  }

  override duplicate(...args: Parameters<Redis['duplicate']>): Redis {
    const copy = super.duplicate(...args);
    this.copies.add(copy);
    copy.once('end', () => this.copies.delete(copy));
    return copy;
  }

  /** Cuts everything at once, whatever state it is in; nothing keeps the process alive after it. */
  destroy(): void {
    for (const client of [this, ...this.copies]) client.disconnect();
  }
}

export interface PoolWorkerOptions {
  client: WorkerClient;
  namespace: string;
  pool: string;
  concurrency: number;
  /** How long a job belongs to a worker that is not heard any more. Milliseconds. */
  leaseMs: number;
  process: Processor<unknown, void>;
  clock?: Clock;
}

/** BullMQ's worker on one pool, with what it lacks: a back-off, short waits, and a sign of life. */
export class PoolWorker extends Worker<unknown, void> {
  private failures = 0;
  private fetchedMs: number;
  private readonly clock: Clock;

  constructor(options: PoolWorkerOptions) {
    super(options.pool, options.process, {
      connection: options.client,
      prefix: poolPrefix(options.namespace, options.pool),
      concurrency: options.concurrency,
      autorun: false,
      // A job whose worker died before it began comes back after the lock and one or two checks.
      lockDuration: options.leaseMs,
      lockRenewTime: options.leaseMs / 3,
      stalledInterval: 2 * SECOND,
      // Losses are counted in the ledger; BullMQ must not end a job for them.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      // BullMQ waits 15 s before it tries a lost connection again.
      runRetryDelay: SECOND,
      drainDelay: MAX_BLOCK_SECONDS,
    });
    this.clock = options.clock ?? systemClock;
    this.fetchedMs = this.clock.monotonicMs();
  }

  /** Milliseconds since Redis last answered whether there is work. Grows while every place is taken by a long run. */
  silentMs(): number {
    return this.clock.monotonicMs() - this.fetchedMs;
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<unknown, void>> {
    try {
      const job = await super.moveToActive(token, name);
      this.failures = 0;
      this.fetchedMs = this.clock.monotonicMs();
      return job;
    } catch (error) {
      const waitMs = Math.min(BACKOFF_MS.min * 2 ** Math.min(this.failures, 10), BACKOFF_MS.max);
      this.failures += 1;
      await sleep(waitMs);
      throw error;
    }
  }

  /**
   * BullMQ would make the next tick before it hands out this one: a round trip more for each in the loop that fetches
   * the jobs of all tasks one after the other.
   */
  protected override async nextJobFromJobData(
    json?: JobJson,
    jobId?: string,
    token?: string,
  ): Promise<Job<unknown, void>> {
    // With every place taken jobs come by the answers to completed ones: that is a sign of life, too.
    this.fetchedMs = this.clock.monotonicMs();
    const ticking = parseJobSchedulerId(json?.repeatJobKey ?? '');
    if (!json || !ticking) return super.nextJobFromJobData(json, jobId, token);
    const { repeatJobKey: schedulerId = '', ...plain } = json;
    const job = await super.nextJobFromJobData(plain, jobId, token);
    this.makeNextTick(schedulerId, ticking.everyMs, job).catch((error) => this.emit('error', error));
    return job;
  }

  /** Where it fails the ticker finds that there is none. */
  private async makeNextTick(schedulerId: string, every: number, job: Job<unknown, void>): Promise<void> {
    const { id: producerId = '', name, data, opts } = job;
    const scheduler = await this.jobScheduler;
    await scheduler.upsertJobScheduler(schedulerId, { every }, name, data, opts, { override: false, producerId });
  }

  protected override getBlockTimeout(blockUntil: number): number {
    return Math.min(super.getBlockTimeout(blockUntil), MAX_BLOCK_SECONDS);
  }
}
