import { type FollowedTask, type Json, LIFECYCLE_EVENTS } from '@escapement/core';
import { type Database, query } from '../database.ts';

/** A task, as far as a run that follows another is made from it. */
export interface TargetTask {
  id: string;
  name: string;
  version: number;
  keyTemplate: string;
  payload: Json | undefined;
}

/** The tasks of these names that there are. */
export async function targetTasks(db: Database, names: readonly string[]): Promise<Map<string, TargetTask>> {
  const rows = await query<{
    id: string;
    name: string;
    version: number;
    key_template: string;
    payload: Json;
    has_payload: boolean;
  }>(
    db.hot,
    'target_tasks',
    `SELECT id, name, version, key_template, definition->'payload' AS payload, definition ? 'payload' AS has_payload
     FROM task WHERE namespace = $1 AND name = ANY ($2) AND deleted_at IS NULL`,
    [db.namespace, names],
  );
  return new Map(
    rows.map(({ has_payload, key_template, payload, ...task }) => [
      task.name,
      { ...task, keyTemplate: key_template, payload: has_payload ? payload : undefined },
    ]),
  );
}

/** The names of all tasks. */
export async function taskNames(db: Database): Promise<string[]> {
  const rows = await query<{ name: string }>(
    db.pool,
    'task_names',
    `SELECT name FROM task WHERE namespace = $1 AND deleted_at IS NULL ORDER BY name`,
    [db.namespace],
  );
  return rows.map(({ name }) => name);
}

/** All tasks that others follow. */
export async function followedTasks(db: Database): Promise<FollowedTask[]> {
  return await query<FollowedTask>(
    db.pool,
    'followed_tasks',
    `SELECT name, definition->'then' AS "then", ${LIFECYCLE_EVENTS.map((event) => `definition->>'${event}' AS "${event}"`).join(', ')}
     FROM task WHERE namespace = $1 AND deleted_at IS NULL AND definition ?| $2`,
    [db.namespace, ['then', ...LIFECYCLE_EVENTS]],
  );
}
