import { briefly, EscapementError, formatSpan, inUtc, systemClock } from '@escapement/core';
import type { RedisConnection, RedisOptions, RedisReport } from '@escapement/queue';
import type { Logger } from '@escapement/service';
import {
  type Database,
  explainRefusal,
  isPassingError,
  ledgerOrigin,
  migrate,
  ownLedger,
  pendingMigrations,
  pingDatabase,
  requireRights,
} from '@escapement/store';

export interface BootOptions {
  db: Database;
  /** All that the process needs. */
  redis: readonly RedisOptions[];
  /** Apply missing migrations; otherwise they are an error. */
  migrate: boolean;
  /** Work with a Redis that may evict keys. */
  allowEviction: boolean;
  log: Logger;
  /** What the user of the database must be able to do. */
  role: 'scheduler' | 'worker' | 'api';
  signal: AbortSignal;
}

const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 5000;

/**
 * Waits for both servers and refuses what would lose data: a schema that is not this program's, a Redis that evicts.
 * Throws `EscapementError`: `database_refused`, `no_database`, `database_rights`, `redis_refused`, `missing_migrations`, `program_too_old`, `ledger_restored`, `redis_evicts`, `redis_cluster`, or what the
 * migrations say.
 */
export async function prepareServers(options: BootOptions): Promise<void> {
  try {
    await waitForDatabase(options);
    await prepareSchema(options);
  } catch (error) {
    throw explainRefusal(error, options.db) ?? error;
  }
  for (const redis of options.redis) await prepareRedis(redis, options);
}

async function prepareRedis(redis: RedisOptions, options: BootOptions): Promise<void> {
  // BullMQ and all that comes with it are 15 MB of heap, which a program without a Redis need not spend.
  const { connectRedis, inspectRedis, waitForRedis } = await import('@escapement/queue');
  // The waiting is told below, and once.
  const connection = connectRedis({ ...redis, onError: undefined });
  const wait = reportWait('Redis', options);
  try {
    await waitForRedis(connection, { signal: options.signal, onWait: ({ error }) => wait.report(error) });
    wait.over();
    const report = await inspectRedis(connection);
    refuseCluster(connection, report);
    refuseEviction(connection, report, options);
  } finally {
    await connection.close();
  }
}

async function waitForDatabase({ db, log, signal }: BootOptions): Promise<void> {
  const wait = reportWait('Postgres', { log });
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LAST_WAIT_MS)) {
    try {
      await pingDatabase(db);
      return wait.over();
    } catch (err) {
      // Waiting would not help against a wrong password.
      if (!isPassingError(err) || signal.aborted || explainRefusal(err, db)) throw err;
      wait.report(err);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

/** A server that is not there when a process starts is told of once, and again where it says something else. */
function reportWait(server: string, { log }: Pick<BootOptions, 'log'>) {
  const startedMs = systemClock.monotonicMs();
  let reported: string | undefined;
  return {
    report(err: unknown): void {
      const words = err instanceof Error ? err.message : String(err);
      if (words !== reported) log.warn({ err }, `waiting for ${server}`);
      reported = words;
    },
    over(): void {
      if (reported === undefined) return;
      log.info({}, `${server} answers after ${formatSpan(systemClock.monotonicMs() - startedMs)}`);
    },
  };
}

async function prepareSchema(options: BootOptions): Promise<void> {
  const missing = await pendingMigrations(options.db.pool);
  // Who has the rights of a program alone may not migrate, and need not where nothing is missing.
  if (options.migrate && missing.length > 0) {
    const { applied } = await migrate(options.db.url);
    if (applied.length > 0) options.log.info({ applied }, 'migrations applied');
  } else if (missing.length > 0)
    throw new EscapementError(
      'missing_migrations',
      `the database lacks ${missing.length} of this version's migrations: ${briefly(missing)}`,
      {
        fix: 'run `escapement migrate`, or set ESCAPEMENT_MIGRATE=true',
      },
    );
  await requireRights(options.db, options.role);
  if (options.role !== 'api') await refuseCopy(options);
}

export function restoredLedger(copyAt: Date | null): EscapementError {
  const when = copyAt ? ` of ${inUtc(copyAt)} or a little later` : '';
  return new EscapementError(
    'ledger_restored',
    `this database was restored from a dump${when}; what has run since then is not in it, and would run again`,
    { fix: 'run `escapement restore-check`, which shows what that is and makes it safe' },
  );
}

/** What a copy lacks has run elsewhere: before anybody works on it, a person says what is to become of that. See docs/decisions/0093. */
async function refuseCopy({ db, role }: BootOptions): Promise<void> {
  const { unsafe, lastSignAt } = await ledgerOrigin(db);
  if (unsafe && lastSignAt) throw restoredLedger(lastSignAt);
  if (role === 'scheduler') await ownLedger(db);
}

/** Connections go to one server; a cluster would answer MOVED to most commands. */
function refuseCluster({ description }: RedisConnection, { cluster }: RedisReport): void {
  if (!cluster) return;
  throw new EscapementError(
    'redis_cluster',
    `Redis at ${description} is a cluster, which Escapement does not speak to`,
    {
      fix: 'use a Redis by itself or one with sentinels; to spread the load, give the leases their own (REDIS_LEASE_URL)',
    },
  );
}

function refuseEviction(
  { description }: RedisConnection,
  { maxmemoryPolicy, appendonly }: RedisReport,
  { allowEviction, log }: BootOptions,
): void {
  if (!appendonly)
    log.warn(
      { redis: description },
      'Redis has no append-only file: after a crash it is filled again from the ledger, which takes a moment',
    );
  if (maxmemoryPolicy === 'noeviction') return;
  if (!allowEviction)
    throw new EscapementError(
      'redis_evicts',
      `Redis at ${description} has maxmemory-policy ${maxmemoryPolicy}: it may silently drop queued runs and leases`,
      {
        fix: 'set `maxmemory-policy noeviction`, or ESCAPEMENT_ALLOW_EVICTION=true to accept late runs',
      },
    );
  log.warn(
    { redis: description, maxmemoryPolicy },
    'Redis may evict queued runs; the reconciler will bring them back late',
  );
}
