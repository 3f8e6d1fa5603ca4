import type { By } from '@escapement/core';
import { nameIn, noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { finishCancelledRuns, type OpenRun } from '../runs/cancel-run.ts';

/**
 * Stops a backfill in one statement: no more runs are made, and those that have not started are to be cancelled; what runs goes
 * on. They end at once; if this process dies before, the reconciler ends them. Returns how many. Null: it has ended already.
 */
export async function stopBackfill(db: Database, id: string, by: By): Promise<number | null> {
  const rows = await query<StoppedRow>(db.pool, 'stop_backfill', STOP_BACKFILL, [
    db.namespace,
    id,
    toActing(by),
    by.reason ?? `backfill ${id} was stopped`,
  ]);
  if (rows.length === 0) return null;
  const open = rows.filter((row) => isRun(row));
  if (open.length > 0) await finishCancelledRuns(db, open);
  return open.length;
}

/** A run of it that is to be cancelled; without an id: it has none. */
type StoppedRow = (OpenRun | { id: null }) & { [column: string]: unknown };

function isRun(row: StoppedRow): row is OpenRun & { [column: string]: unknown } {
  return row.id !== null;
}

const STOP_BACKFILL = `
WITH stopped AS (
  UPDATE backfill SET state = 'stopped', ended_at = now(), seq = seq + 1
  WHERE namespace = $1 AND id = $2 AND state = 'running' RETURNING id
), open AS MATERIALIZED (
  SELECT r.id, r.scheduled_for, r.cancel_requested_at IS NULL AS is_first FROM stopped s JOIN run r ON r.backfill_id = s.id
  WHERE r.state IN ('planned', 'queued', 'waiting', 'retrying', 'held')
  ORDER BY r.namespace, r.key, r.id
  FOR UPDATE OF r
), asked AS (
  UPDATE run r SET cancel_requested_at = coalesce(r.cancel_requested_at, now()),
    cancel_requested_by = CASE WHEN r.cancel_requested_at IS NULL THEN ${nameIn('$3')} ELSE r.cancel_requested_by END,
    cancel_reason = CASE WHEN r.cancel_requested_at IS NULL THEN $4 ELSE r.cancel_reason END
  FROM open o WHERE r.id = ANY (ARRAY[o.id]) AND r.scheduled_for = o.scheduled_for
  RETURNING r.id, r.scheduled_for, r.state, r.dispatch, r.attempt, r.cancel_requested_by, r.cancel_reason
), noted AS (
  ${noteAction({ by: '$3', action: "'stop'", subject: "'backfill:' || stopped.id", from: 'stopped' })}
), noted_runs AS (
  -- Of runs that somebody wanted cancelled before the first words stay.
  ${noteAction({
    by: "jsonb_set($3::jsonb, '{reason}', to_jsonb($4::text))",
    action: "'cancel'",
    subject: "'run:' || o.id",
    from: '(SELECT id FROM open WHERE is_first) o',
  })}
)
SELECT a.id, a.scheduled_for, a.state, a.dispatch, a.attempt, a.cancel_requested_by, a.cancel_reason
FROM stopped LEFT JOIN asked a ON true`;
