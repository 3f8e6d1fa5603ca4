import { EscapementError } from '@escapement/core';
import { type CustomTypesConfig, Pool, type PoolConfig, type QueryResultRow, types } from 'pg';

export interface DatabaseOptions {
  /** postgres:// URL. `sslmode=` and `sslrootcert=` are understood as by libpq. */
  url: string;
  /** Tasks and runs of other namespaces are not seen. Default 'default'. */
  namespace?: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Connections for the multi-row statements of the hot path. Default 4. */
  hotConnections?: number;
  /** Called for errors of idle connections; they are replaced by themselves. */
  onError?: (error: Error) => void;
}

export interface Database {
  readonly namespace: string;
  /** For statements that touch at most some hundred rows, each by primary key. */
  readonly hot: Pool;
  /** For everything else. */
  readonly pool: Pool;
  readonly url: string;
  close(): Promise<void>;
}

const INT8 = 20;

const exactTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8
      ? (value: string) => BigInt(value)
      : types.getTypeParser(oid, format)) as CustomTypesConfig['getTypeParser'],
};

/**
 * Opens the two pools; connects on first use.
 *
 * The hot pool plans without hash and merge joins: its statements take a few hundred ids and look each up by primary
 * key, but a plan cached while a partition is still empty would be a hash join over a sequential scan, and stay so
 * until the next ANALYZE (measured: a quarter of the pipeline's time).
 */
export function openDatabase(options: DatabaseOptions): Database {
  const hot = new Pool(
    poolConfig(options, options.hotConnections ?? 4, '-c enable_hashjoin=off -c enable_mergejoin=off'),
  );
  const pool = new Pool(poolConfig(options, 4, ''));
  for (const each of [hot, pool]) each.on('error', (error) => options.onError?.(error));
  return {
    namespace: options.namespace ?? 'default',
    url: options.url,
    hot,
    pool,
    close: async () => {
      await Promise.all([hot.end(), pool.end()]);
    },
  };
}

function poolConfig(options: DatabaseOptions, max: number, planner: string): PoolConfig {
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    max,
    // adapter-pg sends times without an offset: any other session zone would shift them.
    options: `-c TimeZone=UTC -c idle_in_transaction_session_timeout=2s -c lock_timeout=5s ${planner}`.trim(),
    statement_timeout: 30_000,
    query_timeout: 35_000,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    types: exactTypes,
  };
}

/** Runs one named (so prepared once per connection) statement. */
export async function query<Row extends QueryResultRow>(
  pool: Pool,
  name: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await pool.query<Row>({ name, text, values: [...values] });
  return result.rows;
}

/** The database's clock and version, and how long the question took. */
export async function pingDatabase(db: Database): Promise<{ now: Date; version: string }> {
  const [row] = await query<{ now: Date; version: string }>(
    db.pool,
    'ping',
    `SELECT clock_timestamp()::timestamptz(3) AS now, current_setting('server_version') AS version`,
  );
  if (!row) throw new EscapementError('no_answer', 'Postgres answered without a row');
  return row;
}

/** Whether an error means that the server could not be reached or went away, rather than that it refused the statement. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(08|57P0)/.test(code)) return true;
  if (['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'].includes(code))
    return true;
  return /Connection terminated|timeout expired|timeout exceeded|Query read timeout/i.test(error.message);
}

/**
 * SQLSTATE classes and codes of refusals that pass by themselves: no room (53), the system's own faults (58), a lock or
 * statement that took too long (55P03, 57014), a lost conflict (40001, 40P01), a standby before its promotion (25006).
 */
const PASSING = /^(53|58|55P03|57014|40001|40P01|25006)/;

/** Whether the same call may succeed later: the server is away, or cannot carry it out just now. */
export function isPassingError(error: unknown): boolean {
  if (isConnectionError(error)) return true;
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return PASSING.test(code) || /is not queryable/.test(error.message);
}
