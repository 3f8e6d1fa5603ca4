// What tells of a Redis itself, without BullMQ, which takes half a second to load.
export { connectRedis, type RedisConnection, type RedisWait, waitForRedis } from './connection.ts';
export { readIdentity } from './identity.ts';
export { inspectRedis, type RedisReport } from './inspect.ts';
export { readMarker } from './read-marker.ts';
export { type ForeignQueue, readStoredSchedulers, type StoredScheduler } from './stored-schedulers.ts';
