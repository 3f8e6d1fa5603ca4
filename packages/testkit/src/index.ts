export { ManualClock } from './manual-clock.ts';
export { type TestDatabase, type TestDatabaseOptions, testDatabase } from './test-database.ts';
export { type TestRedis, testRedis } from './test-redis.ts';
export { type TestServers, testServers } from './test-servers.ts';
