// What every long-running process needs: configuration, loops, logger, health, heartbeat.

export * from './config/index.ts';
export * from './deadman.ts';
export * from './health.ts';
export {
  type AgeCheckOptions,
  ageCheck,
  type CheckAnswer,
  type CheckResult,
  type HealthCheck,
} from './health-check.ts';
export * from './heartbeat.ts';
export * from './log-limit.ts';
export type { LogOutput } from './log-output.ts';
export * from './logger.ts';
export * from './loop.ts';
export * from './on-error.ts';
export * from './outage-log.ts';
export * from './redis-check.ts';
export type { WatchedServer } from './server-watch.ts';
export * from './shutdown.ts';
export * from './timer.ts';
