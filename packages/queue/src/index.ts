// All access to Redis: BullMQ jobs, and leases of keys.

export { createDueHeap, type DueHeap } from './consumer/due-heap.ts';
export { createGatheredWaits, type GatheredWaits } from './consumer/gathered-waits.ts';
export { createRunConsumer, type RunConsumer } from './consumer/run-consumer.ts';
export type { MalformedJob, RunConsumerOptions } from './consumer/run-consumer-options.ts';
export { type Priorities, type PrioritizeOptions, prioritize } from './jobs/prioritize.ts';
export {
  type ContentsCursor,
  type ContentsPage,
  createQueueContents,
  type JobPlace,
  type QueueContents,
} from './jobs/queue-contents.ts';
export type { QueueCounts } from './jobs/queue-jobs.ts';
export { removeQueues } from './jobs/remove-queues.ts';
export type { RunJob, RunRef } from './jobs/run-job.ts';
export { type AddResult, createRunQueue, type RunQueue, type RunQueueOptions } from './jobs/run-queue.ts';
export { letBurstsStepBack, MAX_IN_WINDOW, WINDOW_MS } from './jobs/step-back.ts';
export type { Lease, LeaseCounts } from './lease/held-leases.ts';
export {
  type AcquireRequest,
  createLeaseKeeper,
  type LeaseKeeper,
  type LeaseKeeperOptions,
  type LeaseRequest,
  type LeaseResult,
  type TakeOverRequest,
} from './lease/lease.ts';
export type { LeaseHolder } from './lease/lease-holder.ts';
export {
  deleteLease,
  type LeaseInRedis,
  type LeasePage,
  listLeases,
  lookUpLeases,
  scanLeases,
} from './lease/lease-list.ts';
export { connectRedis, type RedisConnection, type RedisWait, waitForRedis } from './redis/connection.ts';
export { leaveIdentity, readIdentity } from './redis/identity.ts';
export { inspectRedis, type RedisReport } from './redis/inspect.ts';
export type { RedisOptions } from './redis/redis-options.ts';
export type { RedisSentinels, RedisServer, RedisTls } from './redis/redis-server.ts';
export { createJobSchedulers, type JobSchedulers, type RepeatableJobInRedis } from './repeat/job-schedulers.ts';
export { jobSchedulerId, type Repeat, type RepeatableJob } from './repeat/repeat-job.ts';
