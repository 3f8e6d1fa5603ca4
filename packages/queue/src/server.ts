// What tells of a Redis itself, without BullMQ, which takes half a second to load.
export { connectRedis, type RedisConnection, type RedisWait, waitForRedis } from './redis/connection.ts';
export { readIdentity } from './redis/identity.ts';
export { inspectRedis, type RedisReport } from './redis/inspect.ts';
export { readMarker } from './redis/read-marker.ts';
export { type ForeignQueue, readStoredSchedulers, type StoredScheduler } from './repeat/stored-schedulers.ts';
