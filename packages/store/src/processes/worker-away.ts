import { isLive } from './is-live.ts';
import { workerOf } from './worker-of.ts';

/** Nobody who has sent a heartbeat since then is away. Four of them would have come. */
const AWAY_MS = 10_000;

/**
 * Of a run that belongs to a worker: what `WorkerAway` of core says; null: the worker lives, or it belongs to none. `run`: an alias with
 * `namespace` and `need`.
 */
export const workerAway = (run: string): string => `CASE WHEN ${workerOf(run)} IS NOT NULL THEN (
    SELECT CASE WHEN NOT coalesce(bool_or(${isLive('w', String(AWAY_MS))}), false)
      THEN jsonb_build_object('heardAt', to_char(max(w.heartbeat_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) END
    FROM process w WHERE w.namespace = ${run}.namespace AND w.role = 'worker' AND w.name = ${workerOf(run)}) END`;
