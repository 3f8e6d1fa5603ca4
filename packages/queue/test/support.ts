import {
  connectRedis,
  createLeaseKeeper,
  createRunConsumer,
  createRunQueue,
  type Lease,
  type LeaseKeeper,
  type LeaseKeeperOptions,
  type LeaseRequest,
  type RedisServer,
  type RunConsumer,
  type RunConsumerOptions,
  type RunJob,
  type RunQueue,
  type RunQueueOptions,
  type RunRef,
} from '@escapement/queue';
import { eventually } from '@escapement/testkit';
import type { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';

let lastRun = 0;

/** A run that no other test has. */
export function aRun(changes: Partial<RunJob> = {}): RunJob {
  lastRun += 1;
  return { queue: 'default', runId: `run-${process.pid}-${lastRun}`, dispatch: 1, delayMs: 0, ...changes };
}

export function aConnection(url: string, commandTimeoutMs = 5000) {
  const connection = connectRedis({ url, namespace: 'test', commandTimeoutMs });
  onTestFinished(() => connection.close());
  return connection;
}

export function aRunQueue(url: string, options: RunQueueOptions & { commandTimeoutMs?: number } = {}) {
  const { commandTimeoutMs, ...queueOptions } = options;
  const connection = aConnection(url, commandTimeoutMs);
  const queue = createRunQueue(connection, queueOptions);
  onTestFinished(() => queue.close());
  return queue;
}

export interface TestConsumer {
  consumer: RunConsumer;
  /** What was executed, in order. */
  executed: RunRef[];
  errors: Error[];
}

/** A started consumer of the pool `default` that notes what it executes. */
export function aConsumer(url: string, changes: Partial<RunConsumerOptions> = {}): TestConsumer {
  const executed: RunRef[] = [];
  const errors: Error[] = [];
  const { execute = async () => undefined, ...rest } = changes;
  const consumer = createRunConsumer({
    redis: { url, namespace: 'test' },
    queues: ['default'],
    concurrency: 5,
    onError: (error) => errors.push(error),
    ...rest,
    async execute(ref) {
      executed.push(ref);
      await execute(ref);
    },
  });
  onTestFinished(() => consumer.close(500));
  consumer.start();
  return { consumer, executed, errors };
}

/** A promise and what opens it. */
export function aLatch() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A lease keeper of a test; its thread needs a moment, see `ready`. */
export function aKeeper(url: string, changes: Partial<LeaseKeeperOptions> = {}, commandTimeoutMs = 5000): LeaseKeeper {
  const keeper = createLeaseKeeper({
    redis: { url, namespace: 'test', commandTimeoutMs },
    onError: () => undefined,
    ...changes,
  });
  onTestFinished(() => keeper.close());
  return keeper;
}

export function aRequest(changes: Partial<LeaseRequest> = {}): LeaseRequest {
  return { key: 'k', limit: 1, runId: 'run', worker: 'w', dispatch: 1, ...changes };
}

export async function heldLease(keeper: LeaseKeeper, request: LeaseRequest): Promise<Lease> {
  const result = await keeper.acquire(request);
  if (!result.held) throw new Error(`not held: ${JSON.stringify(result.holders)}`);
  return result.lease;
}

/** Blocks the event loop, as a bad handler does. */
export function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Waits until the one lease in this Redis was renewed so many times. The least that was left of it, in milliseconds. */
export async function renewals(client: Redis, times: number): Promise<number> {
  let before = Number.POSITIVE_INFINITY;
  let least = Number.POSITIVE_INFINITY;
  let seen = 0;
  await eventually(async () => {
    const [redisKey = ''] = await client.keys('*:lease:*');
    const leftMs = await client.pttl(redisKey);
    if (leftMs > before) seen += 1;
    before = leftMs;
    least = Math.min(least, leftMs);
    expect(seen).toBeGreaterThanOrEqual(times);
  });
  return least;
}

/** Queue, worker and lease keeper on one Redis. */
export interface TestFleet {
  queue: RunQueue;
  keeper: LeaseKeeper;
  /** The runs that were executed, in order. */
  executed: string[];
  /** What all of them reported. */
  errors: Error[];
}

export function aFleet(server: RedisServer): TestFleet {
  const executed: string[] = [];
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const redis = { ...server, namespace: 'test', onError, commandTimeoutMs: 1000 };
  const connection = connectRedis(redis);
  const keeper = createLeaseKeeper({ redis, leaseMs: 3000, onError });
  const consumer = createRunConsumer({
    redis,
    queues: ['default'],
    concurrency: 5,
    onError,
    execute: async ({ runId }) => void executed.push(runId),
  });
  consumer.start();
  onTestFinished(async () => {
    await Promise.all([consumer.close(500), keeper.close()]);
    await connection.close();
  });
  return { queue: createRunQueue(connection), keeper, executed, errors };
}

/** A run goes through the queue, a lease is taken and given back, and the renewing thread has its connection. */
export async function runsThrough({ queue, keeper, executed }: TestFleet): Promise<void> {
  const run = aRun();
  await eventually(async () => {
    await queue.add([run]);
    expect(executed).toContain(run.runId);
  });
  await keeper.ready;
  await eventually(async () => {
    const lease = await heldLease(keeper, aRequest({ key: run.runId, runId: run.runId }));
    await lease.release();
  });
}
