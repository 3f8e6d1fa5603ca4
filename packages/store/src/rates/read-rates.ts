import { scheduledForOf } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

/** What a rate lets start, as people look at it. */
export interface RateView {
  rateKey: string;
  /** The pool whose rate it is; null: it is that of tasks. */
  pool: string | null;
  limit: number;
  perMs: number;
  /** Starts that count at this moment. */
  started: number;
  /** Runs that wait for a token. */
  waiting: number;
  /** When the next of them, or a new run, may start; null: at once. */
  nextAt: Date | null;
}

/** The rates that runs of a key wait for, or that tasks of that key have: with the rate's key, or a template that is one. */
export async function ratesOfKey(db: Database, key: string): Promise<RateView[]> {
  return (await query<RateRow>(db.pool, 'rates_of_key', RATES_OF_KEY, [db.namespace, key])).map(toRateView);
}

/** Where a run stands that waits for a token. */
export interface RateTurn extends RateView {
  /** When it is its turn, if all before it start as soon as they may. */
  turnAt: Date;
  /** Runs that go before it. */
  ahead: number;
}

/** The turn of a run; null: it waits for no token. */
export async function rateTurn(db: Database, runId: string): Promise<RateTurn | null> {
  const scheduledFor = scheduledForOf(runId).toISOString();
  const [row] = await query<TurnRow>(db.pool, 'rate_turn', RATE_TURN, [db.namespace, runId, scheduledFor]);
  return row ? { ...toRateView(row), turnAt: row.turn_at, ahead: row.ahead } : null;
}

export interface RateRow {
  rate_key: string;
  rate_limit: number;
  rate_per_ms: bigint;
  started: number;
  waiting: number;
  next_at: Date | null;
}

/** Of the keys of rates those of pools begin so, as the SQL function pool_rate_key says it. */
const OF_POOL = '@pool:';

interface TurnRow extends RateRow {
  turn_at: Date;
  ahead: number;
}

export function toRateView(row: RateRow): RateView {
  return {
    rateKey: row.rate_key,
    pool: row.rate_key.startsWith(OF_POOL) ? row.rate_key.slice(OF_POOL.length) : null,
    limit: row.rate_limit,
    perMs: Number(row.rate_per_ms),
    started: row.started,
    waiting: row.waiting,
    nextAt: row.next_at,
  };
}

/** Of rows `t` that name a namespace, a rate's key, and the rate. */
export const RATE_COLUMNS = `t.rate_key, t.rate_limit, t.rate_per_ms,
  (SELECT count(*)::integer FROM rate_start s WHERE s.namespace = t.namespace AND s.rate_key = t.rate_key
    AND s.started_at > now() - t.rate_per_ms * interval '1 ms') AS started,
  (SELECT count(*)::integer FROM rate_wait w JOIN run r ON r.id = w.run_id AND r.scheduled_for = w.scheduled_for
    WHERE w.namespace = t.namespace AND w.rate_key = t.rate_key AND r.state = 'waiting') AS waiting,
  (SELECT nullif(greatest(s.started_at + t.rate_per_ms * interval '1 ms', now()), now()) FROM rate_bucket b
    JOIN rate_start s ON s.namespace = b.namespace AND s.rate_key = b.rate_key AND s.number = b.taken + 1 - t.rate_limit
    WHERE b.namespace = t.namespace AND b.rate_key = t.rate_key) AS next_at`;

/** The rate `d` that a run `r` waits for. */
const LINE_OF_RUN = `JOIN rate_wait w ON w.namespace = r.namespace AND w.rate_key IN (r.rate_key, pool_rate_key(r.pool))
    AND w.scheduled_for = r.scheduled_for AND w.run_id = r.id
  CROSS JOIN LATERAL rate_of(w.namespace, w.rate_key, r.task_id) d`;

const RATES_OF_KEY = `
WITH rated (namespace, rate_key, rate_limit, rate_per_ms) AS (
  SELECT d.namespace, rate_key_of(d.rate_key, NULL), d.rate_limit, d.rate_per_ms FROM task d
  WHERE d.namespace = $1 AND d.key_template = $2 AND d.deleted_at IS NULL AND d.rate_key NOT LIKE '%{{%'
  UNION
  SELECT w.namespace, w.rate_key, d.rate_limit, d.rate_per_ms FROM run r
  ${LINE_OF_RUN}
  WHERE r.namespace = $1 AND r.key = $2 AND r.phase = 'waiting'
)
SELECT ${RATE_COLUMNS} FROM rated t ORDER BY t.rate_key, t.rate_limit`;

const RATE_TURN = `
WITH rated AS (
  SELECT w.namespace, w.rate_key, d.rate_limit, d.rate_per_ms, r.id, r.scheduled_for, r.task_id FROM run r
  ${LINE_OF_RUN}
  WHERE r.namespace = $1 AND r.id = $2 AND r.scheduled_for = $3 AND r.state = 'waiting'
)
SELECT ${RATE_COLUMNS}, rate_turn_at(t.namespace, t.rate_key, t.task_id, t.scheduled_for, t.id) AS turn_at,
  (SELECT count(*)::integer FROM rate_wait w WHERE w.namespace = t.namespace AND w.rate_key = t.rate_key
    AND (w.scheduled_for, w.run_id) < (t.scheduled_for, t.id)) AS ahead
FROM rated t`;
