import type { By, LedgerMove, LedgerPlace, QueueBlock } from '@escapement/core';
import { noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { toQueueBlocks } from './queue-blocks.ts';

/** Whether the queue may lack jobs of the ledger's runs: true while `requested` is ahead of `completed`. */
export interface ResyncState {
  requested: number;
  completed: number;
}

export interface MarkerSeen {
  /** What Redis said the marker was; null: it had none. */
  found: string | null;
  /** The run id of that Redis. */
  server: string;
  /** What the marker is from now on. */
  marker: string;
}

export interface MarkerNoted extends ResyncState {
  /** Where the ledger is; null: Postgres does not say. */
  here: LedgerPlace | null;
  /** Where it was when that was noted last. */
  noted: string | null;
  /** What was noted last to keep queues from being worked off. */
  blocked: QueueBlock[];
}

/** Notes the new marker, and requests a resync if the old one was not the one noted before, or in another server. */
export async function noteMarker(db: Database, seen: MarkerSeen): Promise<MarkerNoted> {
  const [row] = await query<NotedRow>(db.hot, 'note_marker', NOTE_MARKER, [
    db.namespace,
    seen.found,
    seen.server,
    seen.marker,
  ]);
  if (!row) throw new Error('the marker was not noted');
  const { here, lsn, noted } = row;
  return {
    requested: row.resync_requested,
    completed: row.resync_completed,
    here: here === null || lsn === null ? null : { place: here, lsn },
    noted,
    blocked: toQueueBlocks(row.blocked),
  };
}

interface NotedRow {
  [column: string]: unknown;
  resync_requested: number;
  resync_completed: number;
  here: string | null;
  lsn: string | null;
  noted: string | null;
  blocked: unknown;
}

const NOTE_MARKER = `WITH here AS MATERIALIZED (SELECT * FROM ledger_place())
INSERT INTO queue_watch AS w (namespace, marker, server, place)
SELECT $1, $4, $3, h.place FROM here h
ON CONFLICT (namespace) DO UPDATE SET marker = $4, server = $3, place = coalesce(w.place, excluded.place),
  resync_requested = w.resync_requested + (w.marker IS DISTINCT FROM $2 OR w.server <> $3)::integer
RETURNING resync_requested, resync_completed, place AS noted, (SELECT h.place FROM here h) AS here,
  (SELECT h.lsn FROM here h) AS lsn, blocked`;

export interface LedgerMoveSeen {
  how: LedgerMove;
  /** What the row said when it was read. */
  noted: string | null;
  /** Where the ledger was, as the row or Redis has it; null: nobody says. */
  from: string | null;
  to: string;
  /** Who has found it. */
  by: By;
}

/**
 * Notes that the ledger is at another place than the one that was noted, and how it came there; the audit keeps it. False: somebody has noted it. Where the
 * row has the new place already, a new timeline is noted only if no move was noted before: a scheduler that comes back leaves its old
 * place in Redis once more.
 */
export async function noteLedgerMove(db: Database, { noted, from, to, how, by }: LedgerMoveSeen): Promise<boolean> {
  const rows = await query(db.hot, 'note_ledger_move', NOTE_LEDGER_MOVE, [
    db.namespace,
    noted,
    to,
    how,
    from,
    toActing(by),
  ]);
  return rows.length > 0;
}

const NOTE_LEDGER_MOVE = `
WITH moved AS (
  UPDATE queue_watch SET place = $3, moved_at = now(), moved_how = $4
  WHERE namespace = $1 AND place IS NOT DISTINCT FROM $2
    AND ($4 <> 'timeline' OR place IS DISTINCT FROM $3 OR moved_at IS NULL) RETURNING moved_at
), noted AS (
  ${noteAction({
    by: '$6',
    action: "'move'",
    subject: "'ledger:' || $1::text",
    detail: "jsonb_build_object('how', $4::text, 'from', $5::text, 'to', $3::text)",
    from: 'moved',
  })}
)
SELECT FROM moved`;

/** Has the whole queue compared with the ledger, though the marker is right. */
export async function requestResync(db: Database): Promise<void> {
  await query(
    db.hot,
    'request_resync',
    'UPDATE queue_watch SET resync_requested = resync_requested + 1 WHERE namespace = $1',
    [db.namespace],
  );
}

/** Notes that all was compared since the resync of that number was requested. */
export async function completeResync(db: Database, request: number): Promise<void> {
  await query(
    db.hot,
    'complete_resync',
    'UPDATE queue_watch SET resync_completed = greatest(resync_completed, $2) WHERE namespace = $1',
    [db.namespace, request],
  );
}
