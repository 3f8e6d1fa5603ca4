import { type Exposure, SILENT_COPY_MS } from '@escapement/core';
import { restsNow } from '../pools/pause-of-pool.ts';
import { type Database, query } from '../postgres/database.ts';
import { isUnsafeCopy } from '../restore/ledger-origin.ts';

export interface ProcessInfo {
  id: string;
  role: 'scheduler' | 'worker';
  host: string;
  pid: number;
  appVersion: string;
  pools: readonly string[];
  /** Of a worker: what it is called, also when it is started again. Runs of tasks with `runOn` belong to it by that name. */
  name?: string;
  /** Whether somebody has given it that name; else it is its host's. Default false. */
  isNamed?: boolean;
  /** Of a worker: the needs of runs that it can meet (`Need` of core). Default: none. */
  offers?: readonly string[];
  /** Of a worker: the code that it has (`registerDeployment`). */
  deploymentId?: string;
  /** Of a worker: what its tasks can reach of its credentials. */
  exposes?: readonly Exposure[];
  /** Of a worker: `ESCAPEMENT_SECRETS`, which has no values. */
  secretRules?: string;
  /** Of a worker: how many runs it takes at once. */
  concurrency?: number;
  /** The release of the IANA time zone data that it goes by, such as `2026a`. */
  tzVersion?: string;
  /** What it has read last in the Redis of its queues. Default: it does not say. */
  redisSeen?: () => RedisSeen;
}

/** By what a process knows its Redis. */
export interface RedisSeen {
  /** What is kept there; null: there was nothing, or it has read nothing yet. */
  id: string | null;
  /** Milliseconds since it read that; null: it has not. */
  ageMs: number | null;
}

/** What a heartbeat is answered. */
export interface HeartbeatAnswer {
  now: Date;
  heldPools: string[];
  /** This ledger is a copy that lacks what has run, and nobody has accepted it: it was restored while the process ran. */
  restored: boolean;
}

/** What its column can say, some 24 days: a clock that stands at 1970 must not cost the process its heartbeats. */
const MAX_OFFSET_MS = 2 ** 31 - 1;

/**
 * Says that a process lives, which runs are active in it, and of a scheduler how long ago its planner completed a pass, and
 * asks Postgres for the time, and of which of its pools it is to take nothing: those that are paused, or all where it is being drained. The row is made again should it have been pruned.
 */
export async function writeHeartbeat(
  db: Database,
  process: ProcessInfo,
  state: { activeRuns: readonly string[]; clockOffsetMs: number | null; plannedAgeMs?: number | null },
): Promise<HeartbeatAnswer> {
  const seen = process.redisSeen?.();
  const [row] = await query<HeartbeatAnswer & { [column: string]: unknown }>(
    db.pulse,
    'write_heartbeat',
    WRITE_HEARTBEAT,
    [
      process.id,
      db.namespace,
      process.role,
      process.host,
      process.pid,
      process.appVersion,
      process.pools,
      process.offers ?? [],
      state.activeRuns,
      state.clockOffsetMs === null ? null : Math.max(-MAX_OFFSET_MS, Math.min(MAX_OFFSET_MS, state.clockOffsetMs)),
      process.deploymentId ?? null,
      state.plannedAgeMs ?? null,
      process.exposes ?? [],
      process.secretRules ?? null,
      process.name ?? null,
      process.isNamed ?? false,
      process.concurrency ?? null,
      process.tzVersion ?? null,
      seen?.id ?? null,
      seen?.ageMs ?? null,
      SILENT_COPY_MS,
    ],
  );
  if (!row) throw new Error('the heartbeat was not written');
  return row;
}

const WRITE_HEARTBEAT = `
INSERT INTO process AS p (id, namespace, role, host, pid, app_version, pools, offers, active_runs, clock_offset_ms, deployment_id, planned_at, exposes, secret_rules, name, is_named, concurrency, tz_version, redis_id, redis_read_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::uuid[], $10, (SELECT d.id FROM deployment d WHERE d.id = $11::bigint AND d.namespace = $2), now() - $12::float8 * interval '1 ms', $13, $14, $15, $16, $17, $18, $19, now() - $20::float8 * interval '1 ms')
ON CONFLICT (id) DO UPDATE SET prev_heartbeat_at = p.heartbeat_at, heartbeat_at = now(),
  prev_active_runs = p.active_runs, active_runs = excluded.active_runs,
  redis_id = excluded.redis_id, redis_read_at = excluded.redis_read_at,
  clock_offset_ms = excluded.clock_offset_ms, planned_at = excluded.planned_at, stopped_at = NULL
WHERE p.namespace = excluded.namespace
RETURNING clock_timestamp()::timestamptz(3) AS now,
  CASE WHEN p.drain_asked_at IS NOT NULL THEN $7::text[]
    ELSE ARRAY(SELECT o.name FROM pool o WHERE o.namespace = $2 AND o.name = ANY ($7) AND ${restsNow('o')}) END AS "heldPools",
  EXISTS (SELECT FROM ledger_origin o WHERE o.namespace = $2 AND ${isUnsafeCopy('o.alive_at', '$21')}) AS restored`;

/** Records that the process has stopped in an orderly way: runs that it still has count as lost at once. */
export async function endProcess(db: Database, processId: string): Promise<void> {
  await query(db.pulse, 'end_process', 'UPDATE process SET stopped_at = now() WHERE namespace = $2 AND id = $1', [
    processId,
    db.namespace,
  ]);
}
