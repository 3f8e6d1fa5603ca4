import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, SECOND, systemClock } from '@escapement/core';
import { Job, type JobJson, type Processor, Worker } from 'bullmq';
import { type Redis as Client, Redis } from 'ioredis';
import { type BundleMembers, createBundleMembers } from './bundle-members.ts';
import { poolPrefix } from './keys.ts';
import { BUNDLE, type BullJob } from './parcels.ts';
import { patientOptions, type RedisOptions } from './redis-options.ts';
import { parseJobSchedulerId } from './repeat-job.ts';
import { type RunRef, runJobData } from './run-job.ts';

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

/** BullMQ's worker on one pool, with what it lacks: a back-off, short waits, a sign of life, and bundles. */
export class PoolWorker extends Worker<unknown, void> {
  private failures = 0;
  private fetchedMs: number;
  private readonly clock: Clock;
  private readonly members: BundleMembers;
  /** What frees the places of bundles, but for one that is the job's own. */
  private readonly places = new WeakMap<Job<unknown, void>, (() => void)[]>();

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
    this.members = createBundleMembers(options.client, options.namespace);
    this.clock = options.clock ?? systemClock;
    this.fetchedMs = this.clock.monotonicMs();
  }

  /** Milliseconds since Redis last answered whether there is work. Grows while every place is taken by a long run. */
  silentMs(): number {
    return this.clock.monotonicMs() - this.fetchedMs;
  }

  /** One of the runs of a bundle is done with. The last place is free when the job is done. */
  freePlace(job: Job<unknown, void>): void {
    this.places.get(job)?.pop()?.();
  }

  /** All but the job's own. */
  freePlaces(job: Job<unknown, void>): void {
    for (const free of this.places.get(job)?.splice(0) ?? []) free();
  }

  /** Whether there is work for others, too. */
  hasMore(): Promise<boolean> {
    return this.members.hasWaiting(this.name);
  }

  /** Runs of a bundle that are done with; `over`: all are. */
  leaveBundle(job: Job<unknown, void>, runs: readonly RunRef[], over: boolean): Promise<void> {
    return this.members.leave(this.name, job.id ?? '', runs, over);
  }

  /** To the front, or behind others of the same priority. */
  async addInFront(jobs: readonly BullJob[]): Promise<void> {
    // The last one in front is the first.
    const inFront = jobs.map(({ opts, ...job }) => ({ ...job, opts: { ...opts, lifo: true } })).reverse();
    await Job.createBulk(this, inFront);
  }

  /**
   * BullMQ counts jobs; here each further run of a bundle is counted as a job would be, from when it was fetched: BullMQ
   * may fetch many before the first one starts.
   */
  private occupyPlaces(job: Job<unknown, void>): void {
    const data = job.name === BUNDLE ? runJobData.safeParse(job.data).data : undefined;
    if (data?.v !== 2) return;
    const frees: (() => void)[] = [];
    for (let more = 1; more < data.runs.length; more++) {
      // biome-ignore lint/complexity/useLiteralKeys: private to BullMQ, and only so it can be reached.
      this['mainLoopQueue']?.add(new Promise<void>((resolve) => frees.push(resolve)));
    }
    this.places.set(job, frees);
  }

  /** When a bundle is done the loop knows how many places are free; what comes with the answer would be a bundle more. */
  override processJob(
    job: Job<unknown, void>,
    token: string,
    mayFetch?: () => boolean,
  ): Promise<void | Job<unknown, void>> {
    return super.processJob(job, token, this.places.has(job) ? () => false : mayFetch);
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
   * BullMQ would make the next repeat before it hands out this one: a round trip more for each in the loop that fetches
   * the jobs of all tasks one after the other.
   */
  protected override async nextJobFromJobData(
    json?: JobJson,
    jobId?: string,
    token?: string,
  ): Promise<Job<unknown, void>> {
    // With every place taken jobs come by the answers to completed ones: that is a sign of life, too.
    this.fetchedMs = this.clock.monotonicMs();
    const repeatable = parseJobSchedulerId(json?.repeatJobKey ?? '');
    if (!json || !repeatable) {
      const run = await super.nextJobFromJobData(json, jobId, token);
      if (run) this.occupyPlaces(run);
      return run;
    }
    const { repeatJobKey: schedulerId = '', ...plain } = json;
    const job = await super.nextJobFromJobData(plain, jobId, token);
    this.makeNextRepeat(schedulerId, repeatable.everyMs, job).catch((error) => this.emit('error', error));
    return job;
  }

  /** Where it fails the repeatable-job sync finds that there is none. */
  private async makeNextRepeat(schedulerId: string, every: number, job: Job<unknown, void>): Promise<void> {
    const { id: producerId = '', name, data, opts } = job;
    const scheduler = await this.jobScheduler;
    await scheduler.upsertJobScheduler(schedulerId, { every }, name, data, opts, { override: false, producerId });
  }

  protected override getBlockTimeout(blockUntil: number): number {
    return Math.min(super.getBlockTimeout(blockUntil), MAX_BLOCK_SECONDS);
  }
}
