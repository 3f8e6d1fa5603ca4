import { type Database, query } from '../postgres/database.ts';

/** A version of a task, as it was saved. */
export interface TaskVersionEntry {
  version: number;
  savedAt: Date;
  savedBy: string;
  source: string;
  note: string | null;
  /** The definition as JSON, defaults filled in. */
  definition: unknown;
}

/** A version of a task, and whether a person has edited the task by it. */
export interface EditedVersion extends Omit<TaskVersionEntry, 'source'> {
  edited: boolean;
}

/** The last versions of a task, the newest first; none if no person has edited it by one of these. */
export async function editedVersions(db: Database, taskId: string, limit: number): Promise<EditedVersion[]> {
  const rows = await query<EditedVersion & { [column: string]: unknown }>(
    db.pool,
    'edited_versions',
    `SELECT v.version, v.created_at AS "savedAt", v.created_by AS "savedBy", v.note, v.definition, v.edited
     FROM task t JOIN task_version v ON v.task_id = t.id
     WHERE t.namespace = $1 AND t.id = $2 AND v.version > t.version - $3::integer
       AND EXISTS (SELECT FROM task_version e WHERE e.task_id = t.id AND e.version > t.version - $3::integer AND e.edited)
     ORDER BY v.version DESC`,
    [db.namespace, taskId, limit],
  );
  return rows;
}

/** All versions of a task, the newest first, of a deleted one too. Empty: there never was such a task. */
export async function taskHistory(db: Database, name: string): Promise<TaskVersionEntry[]> {
  return await query<TaskVersionEntry & { [column: string]: unknown }>(
    db.pool,
    'task_history',
    `SELECT v.version, v.created_at AS "savedAt", v.created_by AS "savedBy", v.source, v.note, v.definition
     FROM task t JOIN task_version v ON v.task_id = t.id
     WHERE t.namespace = $1 AND t.name = $2
     ORDER BY v.version DESC, t.id DESC`,
    [db.namespace, name],
  );
}
