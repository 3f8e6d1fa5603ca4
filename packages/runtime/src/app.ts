import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type Emit,
  EscapementError,
  isServerProblem,
  parseQueue,
  queueBlockWords,
  systemClock,
  type Tracing,
  USER_EXIT,
} from '@escapement/core';
import type { RedisOptions } from '@escapement/queue';
import {
  type Config,
  createHealthServer,
  createLogger,
  type Environment,
  errorsOf,
  type HealthCheck,
  type Heartbeat,
  type OnError,
  type ProcessLogger,
  plainTextServers,
  plainTextWords,
  redisServers,
  runUntilSignal,
} from '@escapement/service';
import { type Database, openDatabase, type ProcessInfo, pingDatabase, readQueueBlocks } from '@escapement/store';
import { prepareServers } from './boot.ts';
import { logEvents } from './event-lines/event-lines.ts';
import { createMetrics, type Metrics, type MetricsSources } from './metrics/metrics.ts';
import { type AppTraces, createAppTraces } from './traces/app-traces.ts';
import { credentialsFrom } from './traces/credentials.ts';

export type AppRole = 'scheduler' | 'worker';

/** What a process has to work with. */
export interface AppContext {
  db: Database;
  /** Where the queues are. */
  redis: RedisOptions;
  /** Where the leases are; often the same. */
  leaseRedis: RedisOptions;
  process: ProcessInfo;
  log: ProcessLogger;
  tracing: Tracing;
  emit: Emit;
  onError: OnError;
}

/** What a process does. */
export interface App {
  heartbeat: Heartbeat;
  /** Besides servers, heartbeats and clock, which every process checks. */
  checks: readonly HealthCheck[];
  /** Besides Postgres and the clock, which every process measures. Default: nothing. */
  measures?: MetricsSources;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Whether an error that nobody caught is not the process' own, but that of a run in it. */
  claim?(error: unknown, kind: 'error' | 'rejection'): boolean;
}

export interface AppOptions {
  role: AppRole;
  version: string;
  config: Config<'scheduler'> | Config<'worker'>;
  /** What the configuration was read from. */
  env: Environment;
  pools: readonly string[];
  /** Values that must not show in its log. Default none. */
  secrets?: readonly string[];
  /** How long `stop` may take. Milliseconds. */
  graceMs: number;
  build: (context: AppContext) => App | Promise<App>;
}

/**
 * Runs a scheduler or worker from its start to its end: health server, servers, the app itself, signals. A mistake in
 * the surroundings ends it with a sentence, not a stack; where a server cannot be used with exit code 3.
 */
export async function runApp(options: AppOptions): Promise<void> {
  const { role, config } = options;
  const info = describeProcess(role, options.pools, options.version);
  const log = loggerOf(options, info);
  // A loop says who it is.
  const onError: OnError = (err, by) =>
    log.warn({ component: by?.name ?? role, err }, 'error in the background; going on');
  const db = databaseOf(options, onError);
  const { redis, leaseRedis } = redisOf(config, onError);
  const metrics = metricsOf(options, db, onError);
  const traces = tracesOf(options, info, onError);
  const emit = tellAll([logEvents(log, traces.idOf), traces.record, ...(metrics ? [metrics.count] : [])]);
  const aborted = new AbortController();
  // Read at each request: the app's own join once it stands.
  const checks: HealthCheck[] = [
    databaseCheck(db),
    { name: 'started', run: async () => ({ ok: app !== undefined, detail: app ? 'yes' : 'not yet' }) },
  ];
  let app: App | undefined;
  const health =
    config.healthPort === 'off'
      ? undefined
      : createHealthServer({
          ...{ service: role, host: config.healthHost, port: config.healthPort, checks, log },
          pages: metrics ? { '/metrics': metrics } : {},
        });

  const { shutdown } = runUntilSignal({
    graceMs: options.graceMs,
    log,
    claim: (error, kind) => app?.claim?.(error, kind) ?? false,
    async stop() {
      aborted.abort();
      await app?.stop();
      await traces.stop();
      await health?.stop();
      await db.close();
    },
  });
  try {
    if (health) log.info(await health.start(), 'health server listens');
    for (const each of plainTextServers(config)) log.warn({ fix: each.fix }, plainTextWords(each));
    await prepareServers({
      db,
      redis: redis === leaseRedis ? [redis] : [redis, leaseRedis],
      log,
      migrate: config.migrate,
      role,
      allowEviction: config.allowEviction,
      signal: aborted.signal,
    });
    const tracing = await traces.open();
    app = await options.build({ db, redis, leaseRedis, process: info, log, tracing, emit, onError });
    if (aborted.signal.aborted) return;
    checks.push(heartbeatCheck(app.heartbeat), queuesCheck(db, info), ...app.checks);
    metrics?.watch({ clockOffsetMs: app.heartbeat.offsetMs, ...app.measures });
    await app.start();
    log.info({ pools: info.pools, namespace: config.namespace }, `${role} is running`);
  } catch (thrown) {
    if (aborted.signal.aborted) return;
    if (thrown instanceof EscapementError) log.fatal({ code: thrown.code, fix: thrown.fix }, thrown.message);
    else log.fatal({ err: thrown }, `${role} could not start`);
    shutdown('a failed start', exitOf(thrown));
  }
}

function tellAll(listeners: readonly Emit[]): Emit {
  return (event) => {
    for (const tell of listeners) tell(event);
  };
}

function loggerOf({ role, config, env, secrets = [] }: AppOptions, { id }: ProcessInfo): ProcessLogger {
  const { logLevel: level, logFormat: format, noColor } = config;
  const headers = credentialsFrom(env);
  return createLogger({
    ...{ service: role, instance: id, level, format, color: noColor === undefined },
    secrets: [...secrets, ...headers],
  });
}

function exitOf(error: unknown): number {
  return error instanceof EscapementError && isServerProblem(error) ? USER_EXIT.unreachable : 1;
}

function databaseOf({ role, config }: AppOptions, onError: OnError): Database {
  return openDatabase({
    url: config.databaseUrl,
    namespace: config.namespace,
    applicationName: `escapement ${role}`,
    connections: config.databaseConnections,
    statementTimeoutMs: config.statementTimeoutMs,
    lockTimeoutMs: config.lockTimeoutMs,
    idleInTransactionTimeoutMs: config.idleInTransactionTimeoutMs,
    onError: errorsOf('postgres', onError),
  });
}

/** Undefined: nobody could read them. */
function metricsOf({ role, version, config }: AppOptions, db: Database, onError: OnError): Metrics | undefined {
  if (!config.metrics || config.healthPort === 'off') return undefined;
  const tell = errorsOf('metrics', onError);
  const metrics = createMetrics({ role, version, tasks: config.metricsTasks, clock: systemClock, onError: tell });
  metrics.watch({ servers: { postgres: () => pingDatabase(db) } });
  return metrics;
}

function tracesOf({ role, version, env, config }: AppOptions, process: ProcessInfo, onError: OnError): AppTraces {
  const { otel: to, namespace } = config;
  const tell = errorsOf('traces', onError);
  return createAppTraces({ to, env, role, version, instance: process.id, namespace, onError: tell });
}

/** The Redis of the queues and that of the leases: the same one, where they share it. */
function redisOf(config: AppOptions['config'], onError: OnError): Pick<AppContext, 'redis' | 'leaseRedis'> {
  const { queue, leases } = redisServers(config);
  const redis = { ...queue, namespace: config.namespace, onError: errorsOf('redis', onError) };
  if (leases === queue) return { redis, leaseRedis: redis };
  return { redis, leaseRedis: { ...redis, ...leases, onError: errorsOf('redis for leases', onError) } };
}

function describeProcess(role: AppRole, pools: readonly string[], appVersion: string): ProcessInfo {
  const host = hostname();
  const id = `${role}-${host}-${process.pid}-${randomBytes(3).toString('hex')}`;
  return { id, role, host, pid: process.pid, appVersion, pools, tzVersion: process.versions.tz ?? 'unknown' };
}

function databaseCheck(db: Database): HealthCheck {
  return {
    name: 'postgres',
    run: async () => ({ ok: true, detail: `PostgreSQL ${(await pingDatabase(db)).version}` }),
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

/** Reads the configuration, or ends the process with the list of problems. */
export function orExit<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    process.stderr.write(`${error.message}\n${error.fix ? `${error.fix}\n` : ''}`);
    process.exit(USER_EXIT.usage);
  }
}
