import { type Database, query } from '../postgres/database.ts';
import type { CaughtUpRun } from './misfired-runs.ts';
import { inTurn } from './overlap-policies.ts';
import type { DispatchableRun } from './plan-runs.ts';

/**
 * Lets misfired runs go on as catch-up runs, under a new dispatch number, holds them for a person, or leaves them open until
 * they are due again. Those that somebody else has judged, begun or ended meanwhile are left alone. Returns the ones to be queued.
 */
export async function catchUpRuns(
  db: Database,
  runs: readonly CaughtUpRun[],
): Promise<{ queued: DispatchableRun[]; held: number }> {
  const rows = await query<{
    id: string;
    scheduled_for: Date;
    queue: string;
    due_at: Date;
    dispatch: number;
    state: string;
  }>(db.hot, 'catch_up_runs', CATCH_UP_RUNS, [
    runs.map((run) => run.id),
    runs.map((run) => run.scheduledFor.toISOString()),
    runs.map((run) => run.dispatch),
    runs.map((run) => run.to),
    runs.map((run) => run.dueAt.toISOString()),
    runs.map((run) => run.reason),
    runs.map((run) => run.inTurn),
    db.namespace,
    runs.map((run) => run.startBy?.toISOString() ?? null),
    runs.map((run) => run.holdsUntil?.toISOString() ?? null),
    runs.map((run) => run.seen),
  ]);
  const queued = rows
    .filter(({ state }) => state === 'queued')
    .map(({ id, scheduled_for, queue, due_at, dispatch }) => ({
      id,
      scheduledFor: scheduled_for,
      queue,
      dueAt: due_at,
      dispatch,
    }));
  return { queued, held: rows.length - queued.length };
}

// A run that is open stays as it was, but for when it is due.
const CATCH_UP_RUNS = `
WITH input AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::text[], $5::timestamptz[], $6::text[],
    $7::boolean[], $9::timestamptz[], $10::timestamptz[], $11::text[])
    AS i(id, scheduled_for, dispatch, verdict, due_at, reason, in_turn, start_by, holds_until, seen)
), picked AS MATERIALIZED (
  SELECT i.* FROM input i JOIN run r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for
  WHERE r.namespace = $8 AND r.state = i.seen AND r.dispatch = i.dispatch AND r.attempt = 0
  ORDER BY r.namespace, r.key, r.id
  FOR UPDATE OF r SKIP LOCKED
)
UPDATE run r SET state = CASE p.verdict WHEN 'held' THEN 'held' ELSE 'queued' END, reason = p.reason,
  origin = CASE p.verdict WHEN 'open' THEN r.origin ELSE 'catch_up' END,
  misfire_at = CASE p.verdict WHEN 'open' THEN r.misfire_at ELSE p.holds_until END, due_at = p.due_at,
  start_by = least(r.start_by + (p.due_at - r.due_at), p.start_by),
  overlap = CASE WHEN p.in_turn THEN ${inTurn('r.overlap')} ELSE r.overlap END,
  dispatch = r.dispatch + (p.verdict <> 'held')::integer
FROM picked p WHERE r.id = ANY (ARRAY[p.id]) AND r.scheduled_for = p.scheduled_for
RETURNING r.id, r.scheduled_for, queue_of(r.pool, r.need) AS queue, r.due_at, r.dispatch, r.state`;
