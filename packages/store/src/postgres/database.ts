import { EscapementError, SECOND } from '@escapement/core';
import {
  type ClientBase,
  type ClientConfig,
  type CustomTypesConfig,
  Pool,
  type PoolClient,
  type QueryResultRow,
  types,
} from 'pg';
import { FROM_THE_START, type OpenFrom } from '../open-from.ts';
import { makePartition, missingPartition } from '../partitions/make-partition.ts';
import { Link } from './link.ts';
import { IN_UTC, requireOwnServer, type SessionSettings, setUpSession, strayedSettings } from './session.ts';

export interface DatabaseOptions {
  /** postgres:// URL. `sslmode=` and `sslrootcert=` are understood as by libpq. */
  url: string;
  /** Tasks and runs of other namespaces are not seen. Default 'default'. */
  namespace?: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Connections at most in each of the two pools. Default 4. */
  connections?: number | undefined;
  /** How long Postgres may work on a statement. Default 30 s. */
  statementTimeoutMs?: number | undefined;
  /** How long a statement may wait for a lock. Default 5 s. */
  lockTimeoutMs?: number | undefined;
  /** When Postgres ends a session that left a transaction open. Default 2 s. */
  idleInTransactionTimeoutMs?: number | undefined;
  /** Called for errors of idle connections; they are replaced by themselves. */
  onError?: ((error: Error) => void) | undefined;
}

export interface Database {
  readonly namespace: string;
  /** For statements that one plan serves, whatever their values: some hundred rows, each by primary key, or lists that one index has in order. */
  readonly hot: Pool;
  /** For everything else. */
  readonly pool: Pool;
  /** For heartbeats, and looks at how far a standby is, which must get through while all else waits. Gives up sooner. */
  readonly pulse: Pool;
  readonly url: string;
  /** Where look-ups by due time begin. A scheduler moves it on while those from the start take long. */
  readonly openFrom: OpenFrom;
  /** Ends all connections, at once where a statement is still under way after 500 ms. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5 * SECOND;
/** A statement that Postgres itself has not ended by then was sent into a link that is cut. */
const ANSWER_MARGIN_MS = 5 * SECOND;
/** An idle link that is cut is found after this and ten seconds more; routers forget idle links after minutes. */
const KEEP_ALIVE_AFTER_MS = 10 * SECOND;
/** A heartbeat that takes longer is of no use: the next one has better chances, on a new connection if need be. */
const PULSE_LIMITS = { connections: 1, statementTimeoutMs: 3 * SECOND, lockTimeoutMs: 3 * SECOND };
const PULSE_ANSWER_MS = 4 * SECOND;
const CLOSE_MS = 500;

const INT8 = 20;
const TIMESTAMPTZ: number = 1184;
const TIMESTAMPTZ_ARRAY = 1185;
const TEXT_ARRAY: number = 1009;
/** In these years ISO 8601 writes an instant so that Postgres reads it again. */
const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant of other years, `infinity` too, becomes the first or last of these: nobody who reads a row stumbles over it, or cannot write it. */
function readTimestamp(text: string): Date {
  const read: unknown = types.getTypeParser(TIMESTAMPTZ)(text);
  const ms = read instanceof Date ? read.getTime() : Number.NaN;
  if (ms >= FIRST && ms <= LAST) return new Date(ms);
  return new Date(text.startsWith('-') || text.endsWith('BC') || ms < FIRST ? FIRST : LAST);
}

function readTimestamps(text: string): (Date | null)[] {
  const texts: (string | null)[] = types.getTypeParser(TEXT_ARRAY)(text);
  return texts.map((each) => (each === null ? null : readTimestamp(each)));
}

const OWN_PARSERS: Record<number, (value: string) => unknown> = {
  [INT8]: BigInt,
  [TIMESTAMPTZ]: readTimestamp,
  [TIMESTAMPTZ_ARRAY]: readTimestamps,
};

const exactTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    OWN_PARSERS[oid] ?? types.getTypeParser(oid, format)) as CustomTypesConfig['getTypeParser'],
};

/**
 * The statements of the hot pool take a few hundred ids and look each up by an index. A plan made while a partition is
 * still empty would join by a hash over a sequential scan, and stay so until the next ANALYZE (measured: 36 repeats read
 * 231,696 rows). So that way of joining is not there, and one plan serves all batches, whatever their size.
 */
const HOT_PLANS: SessionSettings = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};

/**
 * Plans without the ways of joining above have huge costs in Postgres before 18, which then compiles them: on Debian's Postgres 15 a
 * begin took 5 to 9 s instead of some ms, each time. Statements as short as ours gain nothing by it.
 */
const UNCOMPILED: SessionSettings = { jit: 'off' };

/** Opens the pools; connects on first use. */
export function openDatabase(options: DatabaseOptions): Database {
  const isOwn = onceItHolds((client) => requireOwnServer(client, linkConfig(options.url, options.applicationName)));
  const hot = openPool(options, HOT_PLANS, isOwn);
  const pool = openPool(options, {}, isOwn);
  const pulse = openPool({ ...options, ...PULSE_LIMITS, answerMs: PULSE_ANSWER_MS }, {}, isOwn);
  const pools = [hot, pool, pulse];
  for (const each of pools) each.on('error', (error) => options.onError?.(error));
  const links = linksOf(pools);
  return {
    namespace: options.namespace ?? 'default',
    url: options.url,
    hot,
    pool,
    pulse,
    openFrom: { ...FROM_THE_START },
    async close() {
      const ended = Promise.all(pools.map((each) => each.end()));
      if (await within(CLOSE_MS, ended)) return;
      for (const link of links) link.end().catch(() => undefined);
      await within(CLOSE_MS, ended);
    },
  };
}

/** The connections that stand. */
function linksOf(pools: readonly Pool[]): ReadonlySet<PoolClient> {
  const links = new Set<PoolClient>();
  for (const pool of pools) {
    pool.on('connect', (link) => links.add(link));
    pool.on('remove', (link) => links.delete(link));
  }
  return links;
}

/** Whether something is done within the time. */
function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(resolve, ms, false);
    work
      .then(
        () => resolve(true),
        () => resolve(true),
      )
      .finally(() => clearTimeout(giveUp));
  });
}

/** What all connections have in common, pooled or not. */
export function linkConfig(url: string, applicationName: string): ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  };
}

type OnLink = (client: ClientBase) => Promise<void>;

/** The settings that the sessions of a pool were given. */
const given = new WeakMap<Pool, SessionSettings>();

function openPool(options: DatabaseOptions & { answerMs?: number }, planner: SessionSettings, isOwn: OnLink): Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30 * SECOND;
  const settings = {
    ...IN_UTC,
    ...UNCOMPILED,
    ...planner,
    statement_timeout: String(statementTimeoutMs),
    lock_timeout: String(options.lockTimeoutMs ?? 5 * SECOND),
    idle_in_transaction_session_timeout: String(options.idleInTransactionTimeoutMs ?? 2 * SECOND),
  };
  const pool = new Pool({
    Client: Link,
    ...linkConfig(options.url, options.applicationName),
    max: options.connections ?? 4,
    query_timeout: options.answerMs ?? statementTimeoutMs + ANSWER_MARGIN_MS,
    idleTimeoutMillis: 60_000,
    types: exactTypes,
    // Awaited before anybody gets the connection.
    onConnect: async (client) => {
      await isOwn(client);
      await setUpSession(client, settings);
    },
  });
  given.set(pool, settings);
  return pool;
}

/** Asks until the answer was a good one: it holds for all connections to the same address. */
function onceItHolds(check: OnLink): OnLink {
  let holds = false;
  return async (client) => {
    if (holds) return;
    await check(client);
    holds = true;
  };
}

/** Settings that sessions do not have, though they were given them: name, and what it is. */
export async function findStrayedSettings({ hot, pool, pulse }: Database): Promise<SessionSettings> {
  const found = [hot, pool, pulse].map(async (each) => {
    const client = await each.connect();
    try {
      return await strayedSettings(client, given.get(each) ?? {});
    } finally {
      client.release();
    }
  });
  return Object.assign({}, ...(await Promise.all(found)));
}

/**
 * Runs one named (so prepared once per connection) statement. A partition that it finds missing is made, and the statement
 * run again: it is carried out as a whole or not at all.
 */
export async function query<Row extends QueryResultRow>(
  pool: Pool,
  name: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  let before: string | undefined;
  for (;;) {
    try {
      const result = await pool.query<Row>({ name, text, values: [...values] });
      return result.rows;
    } catch (error) {
      const missing = missingPartition(error);
      if (!missing || missing.partition.name === before) throw error;
      before = missing.partition.name;
      await makePartition(pool, missing.table, missing.partition);
    }
  }
}

/** The database's clock, to the millisecond that has begun: rounded, it would be ahead of itself; and its version. */
export async function pingDatabase(db: Database): Promise<{ now: Date; version: string }> {
  const [row] = await query<{ now: Date; version: string }>(
    db.pool,
    'ping',
    `SELECT date_trunc('milliseconds', clock_timestamp()) AS now, current_setting('server_version') AS version`,
  );
  if (!row) throw new EscapementError('no_answer', 'Postgres answered without a row');
  return row;
}

/** Asks for a sign of life on the connection of heartbeats, which no other work can use up. Rejects within seconds. */
export async function askForLife(db: Database): Promise<void> {
  await query(db.pulse, 'ask_for_life', 'SELECT 1');
}

const NETWORK_CODES: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
]);

/** Whether an error means that the server could not be reached or went away, rather than that it refused the statement. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(08|57P0)/.test(code)) return true;
  if (NETWORK_CODES.has(code)) return true;
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
