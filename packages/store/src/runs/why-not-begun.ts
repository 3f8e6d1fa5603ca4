import { randomUUID } from 'node:crypto';
import { NOT_BEGUN, type NotBegunCode, type NotBegunFacts, OVERLAP_RULES } from '@escapement/core';
import { poolPauseNote } from '../pools/pause-of-pool.ts';
import { type Database, query } from '../postgres/database.ts';
import { aheadOf, covers, isHeldByAnother, isInQueues, REFUSAL_CODE } from './admission.ts';
import { BEGUN_COLUMNS, type BeginRequest, type BeginResult, type BegunRow, toBegunRun } from './begin-result.ts';
import { toCancelRequest } from './cancel-run.ts';
import { lookUpRuns } from './look-up-runs.ts';

interface RefusedRow extends BegunRow {
  request_id: string;
  state: string;
  /** This very call has begun it: its reply was lost. */
  repeated: boolean;
  /** Null: nothing is in its way. */
  code: NotBegunCode | null;
  remaining_ms: number;
  cancel_requested_by: string | null;
  cancel_reason: string | null;
  freeze_note: string | null;
  pause_note: string | null;
  pool: string;
  pool_pause_note: string | null;
  deadline_ms: number | null;
  late_ms: number;
  /** The runs in its way: by the order of its policy, by the limit of its key, on the slot. */
  ahead: string | null;
  full_by: string | null;
  holder: string | null;
}

/** Says for each member that a begin left out why; by the id of its call. What is not there for this worker is left out. */
export async function whyNotBegun(
  db: Database,
  batch: readonly Asked[],
  queues?: readonly string[],
): Promise<Map<string, BeginResult>> {
  const rows = await readRefusals(db, batch, queues);
  return new Map(rows.map((row) => [row.request_id, toResult(row)]));
}

/** The code by which a begin of each would be refused now; null: by none. In the order asked, `stale` where there is no such run. */
export async function refusalCodes(db: Database, batch: readonly BeginRequest[]): Promise<(NotBegunCode | null)[]> {
  const codes = new Map((await readRefusals(db, batch)).map((row) => [row.request_id, row.code]));
  return batch.map(({ beginId }) => codes.get(beginId) ?? (codes.has(beginId) ? null : 'stale'));
}

type Asked = Pick<BeginRequest, 'runId' | 'scheduledFor' | 'dispatch' | 'beginId' | 'slot'>;

async function readRefusals(db: Database, batch: readonly Asked[], queues?: readonly string[]): Promise<RefusedRow[]> {
  return await query<RefusedRow>(db.hot, 'why_not_begun', WHY_NOT_BEGUN, [
    batch.map((each) => each.runId),
    batch.map((each) => each.scheduledFor.toISOString()),
    batch.map((each) => each.dispatch),
    batch.map((each) => each.beginId),
    batch.map((each) => each.slot),
    db.namespace,
    queues ?? null,
  ]);
}

/** Why a run does not begin, for people. */
export interface HeldBack {
  code: NotBegunCode;
  /** A plain sentence. */
  reason: string;
  /** What somebody can do who wants it to run. */
  advice: string;
}

/** What would refuse the next job of a run; null: nothing that the ledger knows of, or it is under way, waits or has ended. */
export async function whatHoldsBack(
  db: Database,
  run: { runId: string; scheduledFor: Date },
): Promise<HeldBack | null> {
  const [sketch] = await lookUpRuns(db, [run]);
  if (!sketch) return null;
  const dispatch = sketch.state === 'queued' ? sketch.dispatch : sketch.dispatch + 1;
  const slot = OVERLAP_RULES[sketch.overlap].takesSlot ? 1 : null;
  const [row] = await readRefusals(db, [{ ...run, dispatch, slot, beginId: randomUUID() }]);
  // Another slot than the first may be free: a key without room is told as such.
  if (!row || row.code === null || row.code === 'stale' || row.code === 'slot_taken') return null;
  const { words, advice } = NOT_BEGUN[row.code];
  return { code: row.code, reason: words(toFacts(row)), advice };
}

function toResult(row: RefusedRow): BeginResult {
  if (row.repeated) return { kind: 'begun', run: toBegunRun(row) };
  switch (row.code) {
    case 'stale':
    case 'no_such_slot':
      return { kind: 'stale' };
    case 'early':
      return { kind: 'early', remainingMs: row.remaining_ms };
    case 'pool_paused':
      return { kind: 'pool_paused', pool: row.pool };
    case 'misfired':
      return { kind: 'misfire' };
    case 'behind':
    case 'key_full':
    case 'slot_taken':
      return { kind: 'busy', holder: inTheWay(row), anySlot: row.code !== 'slot_taken' };
    case 'cancelled':
    case 'task_deleted':
    case 'edited':
    case 'frozen':
    case 'paused':
    case 'start_missed':
    case 'replaced':
      return toEnded(row, row.code);
    case null:
      return { kind: 'changed' };
  }
}

function toEnded(row: RefusedRow, code: NotBegunCode): BeginResult {
  const { endsAs, words } = NOT_BEGUN[code];
  if (endsAs === null) return { kind: 'stale' };
  return {
    kind: 'ended',
    state: endsAs,
    reason: words(toFacts(row)),
    seen: { state: row.state, dispatch: row.dispatch, attempt: row.attempt },
    ...(row.ahead !== null && code === 'replaced' ? { blockedBy: row.ahead } : {}),
  };
}

function toFacts(row: RefusedRow): NotBegunFacts {
  return {
    key: row.key,
    attempt: row.attempt,
    cancel: toCancelRequest(row),
    freezeNote: row.freeze_note,
    pauseNote: row.pause_note,
    pool: row.pool,
    poolPauseNote: row.pool_pause_note,
    deadlineMs: row.deadline_ms ?? 0,
    lateMs: row.late_ms,
    holder: inTheWay(row),
  };
}

function inTheWay({ ahead, full_by, holder }: RefusedRow): string {
  return ahead ?? full_by ?? holder ?? '';
}

const WHY_NOT_BEGUN = `
SELECT i.begin_id AS request_id, r.state, r.state = 'running' AND r.begin_id = i.begin_id AS repeated,
  ${REFUSAL_CODE} AS code,
  ceil(extract(epoch FROM r.due_at - now()) * 1000)::float8 AS remaining_ms, r.cancel_requested_by, r.cancel_reason,
  (SELECT z.note FROM fleet_freeze z WHERE z.namespace = r.namespace AND ${covers('z', 'r.scheduled_for')} LIMIT 1) AS freeze_note,
  (SELECT p.note FROM task_pause p WHERE p.task_id = r.task_id AND ${covers('p', 'r.scheduled_for')} LIMIT 1) AS pause_note, r.pool,
  ${poolPauseNote('r')} AS pool_pause_note,
  round(extract(epoch FROM r.start_by - r.due_at) * 1000)::float8 AS deadline_ms,
  floor(extract(epoch FROM now() - r.due_at) * 1000)::float8 AS late_ms, f.ahead, f.full_by, f.holder, ${BEGUN_COLUMNS}
FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::uuid[], $5::integer[])
  AS i(run_id, scheduled_for, dispatch, begin_id, slot)
JOIN run r ON r.id = ANY (ARRAY[i.run_id]) AND r.scheduled_for = i.scheduled_for AND r.namespace = $6 AND ${isInQueues('r', '$7')}
CROSS JOIN LATERAL (SELECT t.* FROM task t WHERE t.id = r.task_id OFFSET 0) t
CROSS JOIN LATERAL (SELECT ${aheadOf('r')} AS ahead,
  CASE WHEN i.slot IS NOT NULL THEN (SELECT h.holder FROM key_holders(r.namespace, r.key, r.id) h
    WHERE h.taken >= least(r.key_limit, h.key_limit)) END AS full_by,
  (SELECT s.run_id FROM key_slot s WHERE s.namespace = r.namespace AND s.key = r.key AND s.slot = i.slot
    AND ${isHeldByAnother('r.id', 's')}) AS holder OFFSET 0) f`;
