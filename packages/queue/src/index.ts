export { connectRedis, type RedisConnection, type RedisWait, waitForRedis } from './connection.ts';
export { inspectRedis, type RedisReport } from './inspect.ts';
export type { RedisOptions } from './redis-options.ts';
export { createRunConsumer, type MalformedJob, type RunConsumer, type RunConsumerOptions } from './run-consumer.ts';
export type { RunJob, RunRef } from './run-job.ts';
export { type AddResult, createRunQueue, type PoolCounts, type RunQueue, type RunQueueOptions } from './run-queue.ts';
