import { hostname } from 'node:os';
import { parseQueue, queueBlockWords, systemClock } from '@escapement/core';
import type { Tracing } from '@escapement/core/traces';
import type { RedisOptions } from '@escapement/queue';
import {
  type Config,
  type Environment,
  errorsOf,
  type HealthCheck,
  type Heartbeat,
  type OnError,
  plainTextServers,
  plainTextWords,
  redisServers,
} from '@escapement/service';
import { type Database, type ProcessInfo, readQueueBlocks } from '@escapement/store';
import { restoredLedger } from './boot.ts';
import { type Program, type ProgramContext, processId, runProgram } from './program.ts';
import type { ProcessHost } from './share-process.ts';
import { type AppTraces, createAppTraces } from './traces/app-traces.ts';

export type AppRole = 'scheduler' | 'worker';

/** What a process of a fleet has to work with. */
export interface AppContext extends ProgramContext {
  /** Where the queues are. */
  redis: RedisOptions;
  /** Where the leases are; often the same. */
  leaseRedis: RedisOptions;
  process: ProcessInfo;
  tracing: Tracing;
  /** Told that the ledger was restored from a dump while the process runs. */
  onRestored: () => void;
}

/** What a process of a fleet does; besides servers, it checks its heartbeats and its clock. */
export interface App extends Program {
  heartbeat: Heartbeat;
}

export interface AppOptions {
  role: AppRole;
  version: string;
  config: Config<'scheduler'> | Config<'worker'>;
  /** Default: it has the process for itself. */
  host?: ProcessHost | undefined;
  /** What the configuration was read from. */
  env: Environment;
  pools: readonly string[];
  /** Values that must not show in its log. Default none. */
  secrets?: readonly string[];
  /** How long `stop` may take. Milliseconds. */
  graceMs: number;
  build: (context: AppContext) => App | Promise<App>;
}

/** Runs a scheduler or worker from its start to its end. */
export async function runApp(options: AppOptions): Promise<void> {
  const { role, config, build, ...others } = options;
  const info = describeProcess(role, options.pools, options.version);
  await runProgram({
    ...others,
    ...{ role, config, id: info.id, fields: { pools: info.pools } },
    warn: (log) => {
      for (const each of plainTextServers(config)) log.warn({ fix: each.fix }, plainTextWords(each));
    },
    parts: ({ onError }) => {
      const traces = tracesOf(options, info, onError);
      const servers = redisOf(config, onError);
      const { redis, leaseRedis } = servers;
      return {
        ...{ traces, servers },
        redis: redis === leaseRedis ? [redis] : [redis, leaseRedis],
        allowEviction: config.allowEviction,
        listeners: [traces.record],
        traceOf: traces.idOf,
        stop: traces.stop,
      };
    },
    build: async (context, { traces, servers }) => {
      const watch = await watchRedis(context, servers.redis, info);
      const tracing = await traces.open();
      const process = { ...info, redisSeen: watch.seen };
      const onRestored = () => context.end(restoredLedger(null));
      const app = await build({ ...context, ...servers, process, tracing, onRestored });
      return {
        ...app,
        stop: async () => {
          await app.stop();
          await watch.stop();
        },
        checks: [heartbeatCheck(app.heartbeat), queuesCheck(context.db, info), ...app.checks],
        measures: { clockOffsetMs: app.heartbeat.offsetMs, ...app.measures },
      };
    },
  });
}

function tracesOf({ role, version, env, config }: AppOptions, process: ProcessInfo, onError: OnError): AppTraces {
  const { otel: to, namespace } = config;
  const report = errorsOf('traces', onError);
  return createAppTraces({ to, env, role, version, instance: process.id, namespace, onError: report });
}

/** The Redis of the queues and that of the leases: the same one, where they share it. */
function redisOf(config: AppOptions['config'], onError: OnError): Pick<AppContext, 'redis' | 'leaseRedis'> {
  const { queue, leases } = redisServers(config);
  const redis = { ...queue, namespace: config.namespace, onError: errorsOf('redis', onError) };
  if (leases === queue) return { redis, leaseRedis: redis };
  return { redis, leaseRedis: { ...redis, ...leases, onError: errorsOf('redis for leases', onError) } };
}

/** Waits until the Redis of the queues is the one that serves the namespace. Throws `other_redis`. */
async function watchRedis({ end, ...context }: ProgramContext, redis: RedisOptions, process: ProcessInfo) {
  // A program without a Redis does not load what speaks to it.
  const { createRedisWatch } = await import('./redis-watch.ts');
  const watch = createRedisWatch({ ...context, redis, process, clock: systemClock, onOther: end });
  await watch.admit();
  watch.start();
  return watch;
}

function describeProcess(role: AppRole, pools: readonly string[], appVersion: string): ProcessInfo {
  const host = hostname();
  return {
    id: processId(role),
    role,
    host,
    pid: process.pid,
    appVersion,
    pools,
    tzVersion: process.versions.tz ?? 'unknown',
  };
}

function heartbeatCheck(heartbeat: Heartbeat): HealthCheck {
  return {
    name: 'clock',
    run: async () => {
      const offsetMs = heartbeat.offsetMs();
      if (offsetMs === null) return { ok: false, detail: 'no heartbeat yet' };
      if (!heartbeat.fresh()) return { ok: false, detail: 'no heartbeat has got through lately' };
      return { ok: heartbeat.clockOk(), detail: `${offsetMs} ms off Postgres' clock`, value: offsetMs };
    },
  };
}

/** Of a worker the queues of its pools count, of a scheduler all. */
function queuesCheck(db: Database, { role, pools }: ProcessInfo): HealthCheck {
  return {
    name: 'queues',
    run: async () => {
      const blocks = await readQueueBlocks(db);
      const own = blocks.filter(({ queue }) => role === 'scheduler' || pools.includes(parseQueue(queue).pool));
      return { ok: own.length === 0, detail: own.map(queueBlockWords).join('; ') || 'nobody has blocked one in Redis' };
    },
  };
}
