import { type Database, query } from '../database.ts';

export interface ProcessInfo {
  id: string;
  role: 'scheduler' | 'worker';
  host: string;
  pid: number;
  appVersion: string;
  pools: readonly string[];
  /** Of a worker: the code that it has (`registerDeployment`). */
  deploymentId?: string;
}

/** What its column can say, some 24 days: a clock that stands at 1970 must not cost the process its heartbeats. */
const MAX_OFFSET_MS = 2 ** 31 - 1;

/**
 * Says that a process lives, which runs are active in it, and of a scheduler how long ago its planner completed a pass, and
 * asks Postgres for the time. The row is made again should
 * it have been pruned.
 */
export async function writeHeartbeat(
  db: Database,
  process: ProcessInfo,
  state: { activeRuns: readonly string[]; clockOffsetMs: number | null; plannedAgeMs?: number | null },
): Promise<{ now: Date }> {
  const [row] = await query<{ now: Date }>(db.pulse, 'write_heartbeat', WRITE_HEARTBEAT, [
    process.id,
    db.namespace,
    process.role,
    process.host,
    process.pid,
    process.appVersion,
    process.pools,
    state.activeRuns,
    state.clockOffsetMs === null ? null : Math.max(-MAX_OFFSET_MS, Math.min(MAX_OFFSET_MS, state.clockOffsetMs)),
    process.deploymentId ?? null,
    state.plannedAgeMs ?? null,
  ]);
  if (!row) throw new Error('the heartbeat was not written');
  return row;
}

const WRITE_HEARTBEAT = `
INSERT INTO process AS p (id, namespace, role, host, pid, app_version, pools, held, clock_offset_ms, deployment_id, planned_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8::uuid[], $9, $10::bigint, now() - $11::float8 * interval '1 ms')
ON CONFLICT (id) DO UPDATE SET prev_beat_at = p.beat_at, beat_at = now(), prev_held = p.held, held = excluded.held,
  clock_offset_ms = excluded.clock_offset_ms, planned_at = excluded.planned_at, stopped_at = NULL
RETURNING clock_timestamp()::timestamptz(3) AS now`;

/** Says goodbye: what it still holds counts as lost at once. */
export async function endProcess(db: Database, processId: string): Promise<void> {
  await query(db.pulse, 'end_process', 'UPDATE process SET stopped_at = now() WHERE id = $1', [processId]);
}
