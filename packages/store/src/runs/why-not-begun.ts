import { cancelledReason, pausedReason, replacedReason, startMissedReason } from '@escapement/core';
import { type Database, query } from '../database.ts';
import { BEGUN_COLUMNS, type BeginRequest, type BeginResult, type BegunRow, toBegunRun } from './begin-result.ts';
import { toCancelRequest } from './cancel-run.ts';

interface RefusedRow extends BegunRow {
  request_id: string;
  state: string;
  row_dispatch: number;
  wanted_dispatch: number;
  remaining_ms: number;
  cancelled: boolean;
  cancel_requested_by: string | null;
  cancel_reason: string | null;
  task_deleted: boolean;
  superseded: boolean;
  paused: boolean;
  pause_note: string | null;
  /** Not null: it may not start any more. */
  start_deadline_ms: number | null;
  late_ms: number;
  overlap: string;
  ahead: string | null;
  misfire: boolean | null;
  /** Who has the slot. */
  holder: string | null;
  /** The key has as many holders as it may have; one of them. */
  full_by: string | null;
}

/** Says for each member that a begin left out why; by the id of its call. */
export async function whyNotBegun(db: Database, batch: readonly BeginRequest[]): Promise<Map<string, BeginResult>> {
  const rows = await query<RefusedRow>(db.hot, 'why_not_begun', WHY_NOT_BEGUN, [
    batch.map((each) => each.runId),
    batch.map((each) => each.scheduledFor.toISOString()),
    batch.map((each) => each.dispatch),
    batch.map((each) => each.beginId),
    batch.map((each) => each.slot),
  ]);
  return new Map(rows.map((row) => [row.request_id, classify(row)]));
}

function classify(row: RefusedRow): BeginResult {
  if (row.state === 'running' && row.begin_id === row.request_id) return { kind: 'begun', run: toBegunRun(row) };
  const ours =
    (row.state === 'queued' && row.row_dispatch === row.wanted_dispatch) ||
    ((row.state === 'planned' || row.state === 'retrying') && row.row_dispatch === row.wanted_dispatch - 1);
  if (!ours) return { kind: 'stale' };
  const seen = { state: row.state, dispatch: row.row_dispatch, attempt: row.attempt };
  if (row.cancelled) {
    const reason = cancelledReason(toCancelRequest(row), row.attempt === 0 ? 'before it started' : 'between attempts');
    return { kind: 'ended', state: 'cancelled', reason, seen };
  }
  if (row.task_deleted) return { kind: 'ended', state: 'cancelled', reason: 'the task was deleted', seen };
  if (row.superseded) return { kind: 'ended', state: 'superseded', reason: 'the task was edited', seen };
  if (row.paused) return { kind: 'ended', state: 'skipped', reason: pausedReason(row.pause_note), seen };
  if (row.start_deadline_ms !== null) {
    const reason = startMissedReason({ deadlineMs: row.start_deadline_ms, lateMs: row.late_ms });
    return { kind: 'ended', state: 'missed', reason, seen };
  }
  if (row.remaining_ms > 0) return { kind: 'early', remainingMs: row.remaining_ms };
  if (row.misfire) return { kind: 'misfire' };
  if (row.ahead !== null && row.overlap === 'replace')
    return { kind: 'ended', state: 'skipped', reason: replacedReason(row.ahead), seen, blockedBy: row.ahead };
  if (row.ahead !== null) return { kind: 'busy', holder: row.ahead, anySlot: true };
  if (row.full_by !== null) return { kind: 'busy', holder: row.full_by, anySlot: true };
  if (row.holder !== null) return { kind: 'busy', holder: row.holder, anySlot: false };
  // Whatever was in the way is gone: the caller may try again at once.
  return { kind: 'early', remainingMs: 0 };
}

const WHY_NOT_BEGUN = `
SELECT i.begin_id AS request_id, i.dispatch AS wanted_dispatch, r.state, r.dispatch AS row_dispatch,
  ceil(extract(epoch FROM r.due_at - now()) * 1000)::float8 AS remaining_ms,
  r.cancel_requested_at IS NOT NULL AS cancelled, r.cancel_requested_by, r.cancel_reason,
  t.deleted_at IS NOT NULL AS task_deleted,
  r.attempt = 0 AND r.origin IN ('schedule', 'catch_up') AND r.plan_epoch < t.plan_epoch
    AND r.scheduled_for >= t.effective_at AS superseded,
  r.attempt = 0 AND r.origin IN ('schedule', 'catch_up') AND p.id IS NOT NULL AS paused,
  p.note AS pause_note, floor(extract(epoch FROM now() - r.due_at) * 1000)::float8 AS late_ms,
  CASE WHEN r.attempt = 0 AND r.start_by < now() THEN round(extract(epoch FROM r.start_by - r.due_at) * 1000)::float8 END
    AS start_deadline_ms,
  r.overlap, CASE WHEN r.attempt = 0 AND r.overlap IN ('wait-all', 'replace')
    THEN line_ahead(r.namespace, r.key, r.overlap, r.scheduled_for, r.id) END AS ahead,
  r.misfire_at <= now() AND r.attempt = 0 AND i.dispatch = 1 AS misfire,
  s.run_id AS holder, CASE WHEN i.slot IS NOT NULL THEN (SELECT h.holder FROM key_holders(r.namespace, r.key, r.id) h
    WHERE h.taken >= least(r.key_limit, h.key_limit)) END AS full_by, ${BEGUN_COLUMNS}
FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::uuid[], $5::integer[])
  AS i(run_id, scheduled_for, dispatch, begin_id, slot)
JOIN run r ON r.id = ANY (ARRAY[i.run_id]) AND r.scheduled_for = i.scheduled_for
CROSS JOIN LATERAL (SELECT t.* FROM task t WHERE t.id = r.task_id OFFSET 0) t
LEFT JOIN LATERAL (SELECT p.id, p.note FROM task_pause p WHERE p.task_id = r.task_id AND p.from_at <= r.scheduled_for
  AND (p.until_at IS NULL OR r.scheduled_for < p.until_at) LIMIT 1) p ON true
LEFT JOIN key_slot s ON s.namespace = r.namespace AND s.key = r.key AND s.slot = i.slot AND s.run_id <> r.id`;
