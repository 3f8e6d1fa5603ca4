import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type Emit,
  EscapementError,
  explainSystemError,
  isServerProblem,
  systemClock,
  USER_EXIT,
} from '@escapement/core';
import type { RedisOptions } from '@escapement/queue';
import {
  type Config,
  createHealthServer,
  createLogger,
  createOutageLog,
  type Environment,
  errorsOf,
  type HealthCheck,
  type OnError,
  type ProcessLogger,
  runUntilSignal,
} from '@escapement/service';
import { type Database, pingDatabase } from '@escapement/store';
import { prepareServers } from './boot.ts';
import { logEvents, type TraceOf } from './event-lines/event-lines.ts';
import { createMetrics, type Metrics, type MetricsSources } from './metrics/metrics.ts';
import { openProgramDatabase } from './program-database.ts';
import type { Claim, ProcessHost } from './share-process.ts';
import { credentialsFrom } from './traces/credentials.ts';
import { watchedPostgres, watchedRedis } from './watched-servers.ts';

/** A program that runs until it is told to end. */
export type ProgramRole = 'scheduler' | 'worker' | 'api';

/** What every program has to work with. */
export interface ProgramContext {
  db: Database;
  log: ProcessLogger;
  emit: Emit;
  onError: OnError;
  /** Ends the program, which cannot go on. */
  end: (error: EscapementError) => void;
}

/** What a program does. */
export interface Program {
  /** Besides Postgres, which every program checks. */
  checks: readonly HealthCheck[];
  /** Besides Postgres, which every program measures. Default: nothing. */
  measures?: MetricsSources;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Whether an error that nobody caught is not the process' own, but that of a run in it. */
  claim?: Claim;
}

/** What a program has beside what all have. */
export interface ProgramParts {
  /** The servers of Redis that it needs. */
  redis: readonly RedisOptions[];
  /** Work with a Redis that may evict keys. */
  allowEviction: boolean;
  /** Told, as log and metrics are, of all that the process tells of itself. */
  listeners: readonly Emit[];
  traceOf?: TraceOf;
  /** Called after the program has stopped. */
  stop(): Promise<void>;
}

export interface ProgramOptions<Parts extends ProgramParts> {
  role: ProgramRole;
  /** Of this process, as the log has it. */
  id: string;
  version: string;
  config: Config<'scheduler'> | Config<'worker'> | Config<'api'>;
  /** Default: it has the process for itself. */
  host?: ProcessHost | undefined;
  /** What the configuration was read from. */
  env: Environment;
  /** Values that must not show in its log. Default none. */
  secrets?: readonly string[];
  /** How long `stop` may take. Milliseconds. */
  graceMs: number;
  /** Said to be running with these. */
  fields?: Readonly<Record<string, unknown>>;
  /** Told before servers are waited for. Default: nothing. */
  warn?: (log: ProcessLogger) => void;
  parts: (context: Omit<ProgramContext, 'emit' | 'end'>) => Parts;
  /** Called once the servers are there. */
  build: (context: ProgramContext, parts: Parts) => Promise<Program>;
}

/** What a process is called, in its log and in the ledger. */
export function processId(role: ProgramRole): string {
  return `${role}-${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
}

/** Of a program that needs Postgres alone. */
export const NO_PARTS: ProgramParts = { redis: [], allowEviction: false, listeners: [], stop: async () => {} };

/**
 * Runs a program from its start to its end: health server, servers, the program itself, signals. A mistake in the surroundings ends it
 * with a sentence, not a stack; where a server cannot be used with exit code 3.
 */
export async function runProgram<Parts extends ProgramParts>(options: ProgramOptions<Parts>): Promise<void> {
  const { role, config } = options;
  const plainLog = loggerOf(options);
  const outages = createOutageLog({ log: plainLog });
  const { log } = outages;
  // A loop says who it is.
  const onError: OnError = (err, by) =>
    log.warn({ component: by?.name ?? role, err }, 'error in the background; going on');
  const db = openProgramDatabase({ config, name: role, onError });
  outages.watch(watchedPostgres(db));
  const metrics = metricsOf(options, db, onError);
  const parts = options.parts({ db, log, onError });
  const emit = reportAll([
    logLines(log, plainLog, parts.traceOf),
    ...parts.listeners,
    ...(metrics ? [metrics.count] : []),
  ]);
  const aborted = new AbortController();
  // Read at each request: the program's own join once it stands.
  const checks: HealthCheck[] = [
    databaseCheck(db),
    { name: 'started', run: async () => ({ ok: program !== undefined, detail: program ? 'yes' : 'not yet' }) },
  ];
  let program: Program | undefined;
  const health =
    config.healthPort === 'off'
      ? undefined
      : createHealthServer({
          ...{ service: role, host: config.healthHost, port: config.healthPort, checks, log },
          pages: metrics ? { '/metrics': metrics } : {},
        });

  const claim: Claim = (error, kind) => program?.claim?.(error, kind) ?? false;
  const { host } = options;
  host?.asks(claim);
  const { shutdown } = runUntilSignal({
    graceMs: options.graceMs,
    log,
    // Who shares a process has been asked before.
    ...(host ? { signals: host.signals, exit: host.exit } : { claim }),
    async stop() {
      aborted.abort();
      outages.stop();
      await program?.stop();
      await parts.stop();
      await health?.stop();
      await db.close();
    },
  });
  function giveUp(error: unknown): void {
    if (aborted.signal.aborted) return;
    const thrown = explainSystemError(error) ?? error;
    if (thrown instanceof EscapementError) log.fatal({ code: thrown.code, fix: thrown.fix }, thrown.message);
    else log.fatal({ err: thrown }, `${role} could not start`);
    shutdown(program ? 'it cannot go on' : 'a failed start', exitOf(thrown));
  }
  try {
    if (health) log.info(await health.start(), 'health server listens');
    options.warn?.(log);
    const { redis, allowEviction } = parts;
    const { signal } = aborted;
    await prepareServers({ db, redis, log, migrate: config.migrate, role, allowEviction, signal });
    program = await options.build({ db, log, emit, onError, end: giveUp }, parts);
    if (aborted.signal.aborted) return;
    checks.push(...program.checks);
    if (program.measures) metrics?.watch(program.measures);
    for (const redis of watchedRedis(program.measures?.servers, db)) outages.watch(redis);
    await program.start();
    log.info({ ...options.fields, namespace: config.namespace }, `${role} is running`);
  } catch (thrown) {
    giveUp(thrown);
  }
}

type AnyProgram = Omit<ProgramOptions<ProgramParts>, 'parts' | 'build'>;

/** An error that a handler of the user's threw is about servers of its own. */
function logLines(log: ProcessLogger, plainLog: ProcessLogger, traceOf: TraceOf | undefined): Emit {
  const [ours, theirs] = [logEvents(log, traceOf), logEvents(plainLog, traceOf)];
  return (event) => (event.event === 'stray_error' ? theirs : ours)(event);
}

function reportAll(listeners: readonly Emit[]): Emit {
  return (event) => {
    for (const report of listeners) report(event);
  };
}

function loggerOf({ role, id, config, env, secrets = [] }: AnyProgram): ProcessLogger {
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

/** Undefined: nobody could read them. */
function metricsOf({ role, version, config }: AnyProgram, db: Database, onError: OnError): Metrics | undefined {
  if (!config.metrics || config.healthPort === 'off') return undefined;
  const report = errorsOf('metrics', onError);
  const tasks = 'metricsTasks' in config ? config.metricsTasks : 0;
  const metrics = createMetrics({ role, version, tasks, clock: systemClock, onError: report });
  metrics.watch({ servers: { postgres: () => pingDatabase(db) } });
  return metrics;
}

function databaseCheck(db: Database): HealthCheck {
  return {
    name: 'postgres',
    run: async () => ({ ok: true, detail: `PostgreSQL ${(await pingDatabase(db)).version}` }),
  };
}

/** Reads the configuration, or ends the process with the list of problems. */
export function orExit<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    return exitOver(error);
  }
}

/** Ends the process with what is wrong with its configuration. Throws on what is no mistake of the user's. */
export function exitOver(error: unknown): never {
  if (!(error instanceof EscapementError)) throw error;
  process.stderr.write(`error: ${error.message}\n${error.fix ? `  ${error.fix}\n` : ''}`);
  process.exit(USER_EXIT.usage);
}
