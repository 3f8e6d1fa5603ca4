// All access to Redis: BullMQ jobs, and leases of keys.

export { connectRedis, type RedisConnection, type RedisWait, waitForRedis } from './connection.ts';
export { createDueHeap, type DueHeap } from './due-heap.ts';
export { createGatheredWaits, type GatheredWaits } from './gathered-waits.ts';
export type { Lease, LeaseCounts } from './held-leases.ts';
export { leaveIdentity, readIdentity } from './identity.ts';
export { inspectRedis, type RedisReport } from './inspect.ts';
export { createJobSchedulers, type JobSchedulers, type RepeatableJobInRedis } from './job-schedulers.ts';
export {
  type AcquireRequest,
  createLeaseKeeper,
  type LeaseKeeper,
  type LeaseKeeperOptions,
  type LeaseRequest,
  type LeaseResult,
  type TakeOverRequest,
} from './lease.ts';
export type { LeaseHolder } from './lease-holder.ts';
export { deleteLease, type LeaseInRedis, type LeasePage, listLeases, lookUpLeases, scanLeases } from './lease-list.ts';
export { type Priorities, type PrioritizeOptions, prioritize } from './prioritize.ts';
export {
  type ContentsCursor,
  type ContentsPage,
  createQueueContents,
  type JobPlace,
  type QueueContents,
} from './queue-contents.ts';
export type { QueueCounts } from './queue-jobs.ts';
export type { RedisOptions } from './redis-options.ts';
export type { RedisSentinels, RedisServer, RedisTls } from './redis-server.ts';
export { removeQueues } from './remove-queues.ts';
export { jobSchedulerId, type Repeat, type RepeatableJob } from './repeat-job.ts';
export { createRunConsumer, type MalformedJob, type RunConsumer, type RunConsumerOptions } from './run-consumer.ts';
export type { RunJob, RunRef } from './run-job.ts';
export { type AddResult, createRunQueue, type RunQueue, type RunQueueOptions } from './run-queue.ts';
export { letBurstsStepBack, MAX_IN_WINDOW, WINDOW_MS } from './step-back.ts';
