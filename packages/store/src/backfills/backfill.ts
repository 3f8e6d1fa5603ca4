import type { By, Reprocess, RunState, TaskDefinition } from '@escapement/core';
import type { LabelFilter } from '@escapement/core/rights';
import { nameIn, noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { readableDefinition } from '../tasks/readable-definition.ts';
import { meetsLabels, toSelectors } from '../tasks/task-labels.ts';

const BACKFILL_STATES = ['running', 'stopped', 'done'] as const;
export type BackfillState = (typeof BACKFILL_STATES)[number];

export interface BackfillRequest {
  taskId: string;
  /** Included. */
  fromAt: Date;
  /** Included. */
  toAt: Date;
  reprocess: Reprocess;
  /** Runs of it that are open at once. */
  concurrency: number;
  /** The newest occurrence first. */
  reverse: boolean;
  /** For the audit. */
  taskName: string;
  by: By;
}

export interface Backfill extends Omit<BackfillRequest, 'by' | 'taskName'> {
  requestedBy: string;
  id: string;
  taskName: string;
  state: BackfillState;
  /** Grows with each step. */
  seq: number;
  /** The last occurrence that was gone through; null: none yet. */
  cursorAt: Date | null;
  /** Runs made. */
  made: number;
  /** Occurrences left as they were. */
  kept: number;
  error: string | null;
  createdAt: Date;
  endedAt: Date | null;
}

/** Asks for a backfill; a scheduler carries it out. Returns its id. */
export async function insertBackfill(db: Database, request: BackfillRequest): Promise<string> {
  const rows = await query<{ id: string }>(
    db.pool,
    'insert_backfill',
    `WITH asked AS (
     INSERT INTO backfill (namespace, task_id, from_at, to_at, reprocess, concurrency, reverse, requested_by)
     SELECT t.namespace, t.id, $3::timestamptz, $4::timestamptz, $5, $6::integer, $7::boolean, ${nameIn('$8')}
     FROM task t WHERE t.namespace = $1 AND t.id = $2 RETURNING id
     ), noted AS (
       ${noteAction({
         by: '$8',
         action: "'start'",
         subject: "'backfill:' || asked.id",
         detail: "jsonb_build_object('task', $9::text, 'from', $3::timestamptz, 'to', $4::timestamptz)",
         from: 'asked',
       })}
     )
     SELECT id FROM asked`,
    [
      db.namespace,
      request.taskId,
      request.fromAt.toISOString(),
      request.toAt.toISOString(),
      request.reprocess,
      request.concurrency,
      request.reverse,
      toActing(request.by),
      request.taskName,
    ],
  );
  return rows[0]?.id ?? '';
}

interface BackfillRow {
  id: string;
  task_id: string;
  task_name: string;
  from_at: Date;
  to_at: Date;
  reprocess: Reprocess;
  concurrency: number;
  reverse: boolean;
  state: BackfillState;
  seq: number;
  cursor_at: Date | null;
  made: number;
  kept: number;
  error: string | null;
  requested_by: string;
  created_at: Date;
  ended_at: Date | null;
}

const COLUMNS = `b.id, b.task_id, coalesce(t.name, '(gone)') AS task_name, b.from_at, b.to_at, b.reprocess, b.concurrency,
  b.reverse, b.state, b.seq, b.cursor_at, b.made, b.kept, b.error, b.requested_by, b.created_at, b.ended_at`;

/** How its runs stand. */
export type BackfillProgress = Partial<Record<RunState, number>>;

/** Backfills, the latest first, with how their runs stand. `idPrefix`: those whose id begins so; `labels`: of tasks that have them now. */
export async function listBackfills(
  db: Database,
  options: { limit: number; idPrefix?: string; labels?: LabelFilter | undefined },
): Promise<(Backfill & { progress: BackfillProgress })[]> {
  const rows = await query<BackfillRow & { progress: BackfillProgress | null }>(
    db.pool,
    'list_backfills',
    `SELECT ${COLUMNS}, (SELECT jsonb_object_agg(s.state, s.count) FROM (
       SELECT r.state, count(*) FROM any_run r WHERE r.backfill_id = b.id GROUP BY r.state) s) AS progress
     FROM backfill b LEFT JOIN task t ON t.id = b.task_id
     WHERE b.namespace = $1 AND starts_with(b.id::text, $2) AND ${meetsLabels('t', '$4')} ORDER BY b.created_at DESC, b.id LIMIT $3`,
    [db.namespace, options.idPrefix ?? '', options.limit, toSelectors(options.labels)],
  );
  return rows.map((row) => ({ ...toBackfill(row), progress: row.progress ?? {} }));
}

/** A backfill to go on with, and what its next step needs of its task. */
export interface RunningBackfill extends Backfill {
  /** Null: the task is deleted. */
  task: { name: string; definition: TaskDefinition; keyTemplate: string } | null;
  /** What of the task's definition cannot be read here; null: nothing. */
  unreadable: string | null;
  /** Runs of it that have not ended. One that is `unknown` waits for a person and holds nothing up. */
  open: number;
}

export async function runningBackfills(db: Database, limit: number): Promise<RunningBackfill[]> {
  const rows = await query<BackfillRow & { definition: unknown; key_template: string; open: number }>(
    db.pool,
    'running_backfills',
    `SELECT ${COLUMNS}, CASE WHEN t.deleted_at IS NULL THEN t.definition END AS definition, t.key_template,
       (SELECT count(*)::integer FROM any_run r WHERE r.backfill_id = b.id
        AND r.state IN ('planned', 'queued', 'waiting', 'running', 'retrying', 'held')) AS open
     FROM backfill b LEFT JOIN task t ON t.id = b.task_id
     WHERE b.namespace = $1 AND b.state = 'running' ORDER BY b.created_at, b.id LIMIT $2`,
    [db.namespace, limit],
  );
  return rows.map((row) => {
    const name = row.task_name;
    const read = row.definition ? readableDefinition(row.definition, name) : null;
    return {
      ...toBackfill(row),
      open: row.open,
      task: read && { name, definition: read.definition, keyTemplate: row.key_template },
      unreadable: read?.unreadable ?? null,
    };
  });
}

function toBackfill(row: BackfillRow): Backfill {
  return {
    id: row.id,
    taskId: row.task_id,
    taskName: row.task_name,
    fromAt: row.from_at,
    toAt: row.to_at,
    reprocess: row.reprocess,
    concurrency: row.concurrency,
    reverse: row.reverse,
    state: row.state,
    seq: row.seq,
    cursorAt: row.cursor_at,
    made: row.made,
    kept: row.kept,
    error: row.error,
    requestedBy: row.requested_by,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}
