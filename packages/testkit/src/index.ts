// Tools of the tests of this repository: databases, clocks, failpoints, proxies, processes.

export { ManualClock } from '@escapement/core';
export { built } from './built.ts';
export { by } from './by.ts';
export { type Certificates, certificates } from './certificates.ts';
export { afterFile } from './clean-up.ts';
export { asUser, DATABASE_USERS, type DatabaseUser, migrateWithRoles } from './database-users.ts';
export type { Armed, Injection } from './failpoints/control.ts';
export { killAfter } from './failpoints/in-process.ts';
export {
  type Action,
  type ArmingOptions,
  type Failpoint,
  pointName,
  type SourcePatch,
  type When,
} from './failpoints/patch.ts';
export { rewrite } from './failpoints/rewrite.mjs';
export { aTask, finishedRun, finishedRunOf, runningRun } from './finished-run.ts';
export { type LockedRows, lockRows } from './locked-rows.ts';
export { hasNginx, startNginx } from './nginx.ts';
export { beginWeeksAt } from './old-weeks.ts';
export { type CollectedSpan, type Collector, startCollector } from './otlp/collector.ts';
export { lockedRedis, type OwnServer, type OwnServerOptions, ownPostgres, ownRedis } from './own-servers.ts';
export { eventually, stopwatch } from './pace/fair-time.ts';
export { type Pace, paceOf, type Turn } from './pace/pace.ts';
export { type Probe, startProbe } from './pace/probe.ts';
export { hasPgBouncer, type PgBouncerOptions, pgBouncer } from './pgbouncer.ts';
export { type PostgresCall, watchPostgres } from './postgres-calls.ts';
export { type PrimaryWithStandby, primaryWithStandby } from './primary-with-standby.ts';
export { hasPrometheus, type Prometheus, promtool, startPrometheus } from './prometheus.ts';
export { type Proxy, startProxy } from './proxy.ts';
export { type RedisCall, watchRedis } from './redis-calls.ts';
export { type SkewedClock, skewedClock } from './skewed-clock.ts';
export { type Exit, type NodeProcess, type SpawnOptions, spawnNode } from './spawn-node.ts';
export { type Cluster, type SystemPostgres, systemPostgres } from './system-postgres.ts';
export { administer, type TestDatabase, type TestDatabaseOptions, testDatabase } from './test-database.ts';
export { type TestRedis, testRedis } from './test-redis.ts';
export { type TestServers, testServers } from './test-servers.ts';
