import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, SECOND, systemClock } from '@escapement/core';
import { Job, type JobJson, type Processor, Worker } from 'bullmq';
import { type Redis as Client, Redis } from 'ioredis';
import { type BundleMembers, createBundleMembers } from '../jobs/bundle-members.ts';
import { BUNDLE, type BullJob } from '../jobs/job-batches.ts';
import { READY_AHEAD_MS, type RunRef, runJobData } from '../jobs/run-job.ts';
import { queuePrefix } from '../redis/keys.ts';
import { patientOptions, type RedisOptions } from '../redis/redis-options.ts';
import { parseJobSchedulerId } from '../repeat/repeat-job.ts';
import type { Asking, MarkerWait } from './marker-wait.ts';
import type { Places } from './places.ts';

/** A process asks for work that no marker told of once in this time: each of its queues less often, the more there are. */
const ASK_AGAIN_SECONDS = 2;

/** After a failed fetch BullMQ tries again at once: 300 errors a second from a Redis whose memory is full. */
const BACKOFF_MS = { min: 100, max: 2 * SECOND };

/** The connection of all queues of a process; knows the copies that BullMQ makes of it for its blocking commands. */
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

/** BullMQ takes it for "none", and its types leave it out. */
const NO_JOB = undefined as never;

export interface QueueWorkerOptions {
  client: WorkerClient;
  namespace: string;
  queue: string;
  /** Jobs at once; `places` may have fewer left. */
  concurrency: number;
  /** The places of its pool, which all queues of that share. */
  places: Places;
  /** How many queues the process serves: each asks less often, the more there are. */
  queues: number;
  /** How the process waits for work. */
  waits: MarkerWait;
  /** How long a job belongs to a worker that is not heard any more. Milliseconds. */
  leaseMs: number;
  process: Processor<unknown, void>;
  /** The time by which runs are due. */
  now: () => Date;
  clock?: Clock;
}

/** BullMQ's worker on one queue, with what it lacks: a back-off, short waits, a sign of life, bundles, and places shared with others. */
export class QueueWorker extends Worker<unknown, void> {
  private failures = 0;
  private fetchedMs: number;
  private readonly clock: Clock;
  /** The clock that decides when runs are due. */
  readonly now: () => Date;
  private readonly members: BundleMembers;
  private readonly places: Places;
  /** Jobs that are here and that BullMQ has not begun to process. */
  private unstarted = 0;
  /** Ends the wait for a place. */
  private stopWaiting: (() => void) | undefined;
  private readonly maxBlockSeconds: number;
  /** What ends the counting of the runs of bundles, but for one that is the job's own. */
  private readonly counted = new WeakMap<Job<unknown, void>, (() => void)[]>();

  constructor(options: QueueWorkerOptions) {
    super(options.queue, options.process, {
      connection: options.client,
      prefix: queuePrefix(options.namespace, options.queue),
      concurrency: options.concurrency,
      autorun: false,
      // A job whose worker died before it began comes back after the lock and one or two checks.
      lockDuration: options.leaseMs,
      lockRenewTime: options.leaseMs / 3,
      // One check in this time is enough for the fleet, and the reconciler is faster.
      stalledInterval: 2 * SECOND * options.queues,
      // Losses are counted in the ledger; BullMQ must not end a job for them.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      // BullMQ waits 15 s before it tries a lost connection again.
      runRetryDelay: SECOND,
      drainDelay: ASK_AGAIN_SECONDS * options.queues,
    });
    this.places = options.places;
    this.maxBlockSeconds = ASK_AGAIN_SECONDS * options.queues;
    this.members = createBundleMembers(options.client, options.namespace);
    this.clock = options.clock ?? systemClock;
    this.now = options.now;
    this.fetchedMs = this.clock.monotonicMs();
    this.waitBy(options.waits);
  }

  /** BullMQ would block a connection for each worker; here the process has one for all. */
  protected override createBackend(): void {
    this.backend = this.backendFactory(this.name, this.opts, { withBlockingConnection: false });
  }

  private waitBy(waits: MarkerWait): void {
    const { marker = '' } = this.keys;
    const asking: Asking = {
      heard: () => {
        this.fetchedMs = this.clock.monotonicMs();
      },
      hasRoom: () => this.places.hasRoom,
    };
    this.backend.waitForJob = (seconds) => waits.wait(marker, seconds * SECOND, asking);
    this.backend.disconnectBlocking = async () => waits.release(marker);
  }

  /** Milliseconds since Redis last answered whether there is work. Grows while every place is taken by a long run. */
  silentMs(): number {
    return this.clock.monotonicMs() - this.fetchedMs;
  }

  /** One of the runs of a bundle is done with. The last place is free when the job is done. */
  freePlace(job: Job<unknown, void>): void {
    this.counted.get(job)?.pop()?.();
  }

  /** All but the job's own. */
  freePlaces(job: Job<unknown, void>): void {
    for (const free of this.counted.get(job)?.splice(0) ?? []) free();
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
    const inFront = jobs.map(({ opts, ...job }) => ({ ...job, opts: { ...opts, lifo: opts.delay === 0 } })).reverse();
    await Job.createBulk(this, inFront);
  }

  /**
   * BullMQ counts jobs; here each further run of a bundle that is due soon is counted as a job would be, from when it was fetched: BullMQ
   * may fetch many before the first one starts. One that is due later in its window takes a place when it is near, as a job does, and
   * leaves it to others until then.
   */
  private countBundle(job: Job<unknown, void>): void {
    const data = job.name === BUNDLE ? runJobData.safeParse(job.data).data : undefined;
    if (data?.v !== 2) return;
    const frees: (() => void)[] = [];
    const soonMs = this.now().getTime() + READY_AHEAD_MS;
    const soon = data.runs.filter(([, , dueMs]) => dueMs === null || dueMs <= soonMs).length;
    for (let more = 1; more < soon; more++) {
      // biome-ignore lint/complexity/useLiteralKeys: private to BullMQ, and only so it can be reached.
      this['mainLoopQueue']?.add(new Promise<void>((resolve) => frees.push(resolve)));
    }
    this.counted.set(job, frees);
  }

  private arrived(): void {
    this.unstarted += 1;
    this.stopWaiting?.();
  }

  /** When a bundle is done the loop knows how many places are free; what comes with the answer would be a bundle more. */
  override processJob(
    job: Job<unknown, void>,
    token: string,
    mayFetch?: () => boolean,
  ): Promise<void | Job<unknown, void>> {
    this.unstarted -= 1;
    return super.processJob(job, token, this.counted.has(job) ? () => false : mayFetch);
  }

  /** The next job comes with the answer if there is a place for it: what waits for one in another queue goes before it. */
  protected override async handleCompleted(
    result: undefined,
    job: Job<unknown, void>,
    token: string,
    mayFetch: () => boolean = () => true,
  ): Promise<Job<unknown, void>> {
    let taken = false;
    const take = (): boolean => {
      taken = mayFetch() && this.places.takeNow();
      return taken;
    };
    let next: Job<unknown, void> | undefined;
    try {
      next = await super.handleCompleted(result, job, token, take);
      return next;
    } finally {
      if (taken && !next) this.places.free();
    }
  }

  /** A job that goes back brings no other one: the loop asks for that, in its turn. */
  protected override handleFailed(error: Error, job: Job<unknown, void>, token: string): Promise<Job<unknown, void>> {
    return super.handleFailed(error, job, token, () => false);
  }

  /**
   * BullMQ starts no job while it fetches another: what is here already, or comes with the answer to a completed one, has its place and must
   * not wait for that of the next. False also when the worker is to rest.
   */
  private async takePlace(): Promise<boolean> {
    if (this.unstarted > 0) return this.places.takeNow();
    const got = await this.places.takeInTurn((giveUp) => {
      this.stopWaiting = giveUp;
    });
    this.stopWaiting = undefined;
    return got;
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<unknown, void>> {
    // The place first, then the job: what is taken can start.
    if (!(await this.takePlace())) return NO_JOB;
    let job: Job<unknown, void> | undefined;
    try {
      job = await super.moveToActive(token, name);
      this.failures = 0;
      this.fetchedMs = this.clock.monotonicMs();
      return job;
    } catch (error) {
      const waitMs = Math.min(BACKOFF_MS.min * 2 ** Math.min(this.failures, 10), BACKOFF_MS.max);
      this.failures += 1;
      await sleep(waitMs);
      throw error;
    } finally {
      if (!job) this.places.free();
    }
  }

  /**
   * BullMQ would make the next repeat of a job before it hands out this one: a round trip more for each, in the loop that fetches the jobs
   * of all tasks one after the other. It goes by this key, wherever it was kept.
   */
  protected override createJob(json: JobJson, jobId: string): Job<unknown, void> {
    const job = super.createJob(json, jobId);
    return parseJobSchedulerId(job.repeatJobKey ?? '') ? Object.assign(job, { repeatJobKey: undefined }) : job;
  }

  protected override async nextJobFromJobData(
    json?: JobJson,
    jobId?: string,
    token?: string,
  ): Promise<Job<unknown, void>> {
    // With every place taken jobs come by the answers to completed ones: that is a sign of life, too.
    this.fetchedMs = this.clock.monotonicMs();
    const job = await super.nextJobFromJobData(json, jobId, token);
    if (!job) return job;
    this.arrived();
    this.countBundle(job);
    const schedulerId = json?.repeatJobKey ?? '';
    const repeatable = parseJobSchedulerId(schedulerId);
    if (repeatable)
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
    return Math.min(super.getBlockTimeout(blockUntil), this.maxBlockSeconds);
  }
}
