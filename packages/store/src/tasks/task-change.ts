import { type By, type Principal, readPrincipal, storableText, type TaskDefinition } from '@escapement/core';
import { noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { WAKE_CHANNEL } from '../runs/trigger-run.ts';

/** A definition that counts from a later instant on. */
export interface TaskChange {
  id: string;
  name: string;
  /** As it was saved; to be checked again. */
  definition: unknown;
  source: string;
  createdBy: Principal;
  note: string | null;
  effectiveAt: Date;
  /** The version of the task that it was given for; 0: there was no task; null: not kept, it is from an older version of this. */
  basedOn: number | null;
  /** Why it could not be carried out. */
  error: string | null;
}

/** Keeps a definition until it is due, in place of another one that the task had waiting. */
export async function putTaskChange(
  db: Database,
  change: Pick<TaskChange, 'effectiveAt' | 'source'> & {
    definition: TaskDefinition;
    redacted: unknown;
    basedOn: number;
    by: By;
  },
): Promise<void> {
  await query(
    db.pool,
    'put_task_change',
    `WITH put AS (
       INSERT INTO task_change (namespace, name, definition, source, created_by, note, effective_at, based_on)
       VALUES ($1, $2, $3::jsonb, $4, $7::jsonb, $5, $6, $10)
       ON CONFLICT (namespace, name) DO UPDATE SET id = gen_random_uuid(), definition = excluded.definition,
         source = excluded.source, created_by = excluded.created_by, note = excluded.note,
         effective_at = excluded.effective_at, based_on = excluded.based_on, error = NULL, created_at = now()
       RETURNING 1
     ), noted AS (
       ${noteAction({
         by: '$8',
         action: "'save for later'",
         subject: "'task:' || $2::text",
         detail: "jsonb_build_object('effective', $6::timestamptz)",
         after: '$9::jsonb',
         from: 'put',
       })}
     )
     SELECT pg_notify('${WAKE_CHANNEL}', $1) FROM put`,
    [
      db.namespace,
      change.definition.name,
      JSON.stringify(change.definition),
      change.source,
      change.by.reason,
      change.effectiveAt.toISOString(),
      JSON.stringify(change.by.principal),
      toActing(change.by),
      JSON.stringify(change.redacted),
      change.basedOn,
    ],
  );
}

interface ChangeRow {
  id: string;
  name: string;
  definition: unknown;
  source: string;
  created_by: unknown;
  note: string | null;
  effective_at: Date;
  based_on: number | null;
  error: string | null;
}

const COLUMNS = 'id, name, definition, source, created_by, note, effective_at, based_on, error';

/**
 * Changes that are due within `aheadMs` and not known to be impossible, the earliest first. One of a paused task, or of a frozen fleet, is not taken
 * ahead: what falls due until then gets its rows, or does not, when the pause is known to last so long.
 */
export async function dueTaskChanges(db: Database, options: { aheadMs: number; limit: number }): Promise<TaskChange[]> {
  const rows = await query<ChangeRow>(
    db.pool,
    'due_task_changes',
    `SELECT ${COLUMNS} FROM task_change c
     WHERE namespace = $1 AND error IS NULL AND effective_at <= now() + $2 * interval '1 ms'
       AND (effective_at <= now() OR NOT EXISTS (SELECT FROM task t JOIN task_pause p ON p.task_id = t.id
         WHERE t.namespace = $1 AND t.name = c.name AND t.deleted_at IS NULL AND (p.until_at IS NULL OR p.until_at > now()))
         AND NOT EXISTS (SELECT FROM fleet_freeze z WHERE z.namespace = $1 AND (z.until_at IS NULL OR z.until_at > now())))
     ORDER BY effective_at, name LIMIT $3`,
    [db.namespace, options.aheadMs, options.limit],
  );
  return rows.map(toChange);
}

/** The change that waits for its time; null: there is none. */
export async function findTaskChange(db: Database, name: string): Promise<TaskChange | null> {
  const [row] = await query<ChangeRow>(
    db.pool,
    'find_task_change',
    `SELECT ${COLUMNS} FROM task_change WHERE namespace = $1 AND name = $2`,
    [db.namespace, name],
  );
  return row ? toChange(row) : null;
}

/** Forgets a change that was carried out. False: it is another one by now, or gone. */
export async function forgetTaskChange(db: Database, change: { name: string; id: string }): Promise<boolean> {
  const rows = await query(
    db.pool,
    'forget_task_change',
    'DELETE FROM task_change WHERE namespace = $1 AND name = $2 AND id = $3 RETURNING 1',
    [db.namespace, change.name, change.id],
  );
  return rows.length > 0;
}

/** Drops the change that waits for its time: nobody wants it any more. False: there is none. */
export async function dropTaskChange(db: Database, name: string, by: By): Promise<boolean> {
  const rows = await query(
    db.pool,
    'drop_task_change',
    `WITH dropped AS (
       DELETE FROM task_change WHERE namespace = $1 AND name = $2 RETURNING effective_at
     ), noted AS (
       ${noteAction({
         by: '$3',
         action: "'drop pending change'",
         subject: "'task:' || $2::text",
         detail: "jsonb_build_object('effective', effective_at)",
         from: 'dropped',
       })}
     )
     SELECT FROM dropped`,
    [db.namespace, name, toActing(by)],
  );
  return rows.length > 0;
}

/** Notes why a change cannot be carried out. It is not tried again. */
export async function failTaskChange(db: Database, change: TaskChange, error: string): Promise<void> {
  await query(db.pool, 'fail_task_change', `UPDATE task_change SET error = $3 WHERE namespace = $1 AND id = $2`, [
    db.namespace,
    change.id,
    storableText(error),
  ]);
}

function toChange(row: ChangeRow): TaskChange {
  return {
    id: row.id,
    name: row.name,
    definition: row.definition,
    source: row.source,
    createdBy: readPrincipal(row.created_by),
    note: row.note,
    effectiveAt: row.effective_at,
    basedOn: row.based_on,
    error: row.error,
  };
}
