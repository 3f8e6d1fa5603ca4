import { type FollowedTask, type Json, LIFECYCLE_EVENTS } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

/** A task, as far as a run that follows another is made from it. */
export interface TargetTask {
  id: string;
  name: string;
  version: number;
  keyTemplate: string;
  payload: Json | undefined;
  /** It runs on every worker: its runs follow no others. */
  onEveryWorker: boolean;
}

/** The tasks that have these names, or have had them until somebody renamed them. */
export async function targetTasks(db: Database, names: readonly string[]): Promise<Map<string, TargetTask>> {
  const targets = await tasksOfNames(db, names);
  const missing = names.filter((name) => !targets.has(name));
  if (missing.length === 0) return targets;
  const renamed = await formerNames(db, missing);
  const others = renamed.size > 0 ? await tasksOfNames(db, [...renamed.values()]) : new Map<string, TargetTask>();
  for (const [former, name] of renamed) {
    const task = others.get(name);
    if (task) targets.set(former, task);
  }
  return targets;
}

async function tasksOfNames(db: Database, names: readonly string[]): Promise<Map<string, TargetTask>> {
  const rows = await query<{
    id: string;
    name: string;
    version: number;
    key_template: string;
    payload: Json;
    has_payload: boolean;
    on_every_worker: boolean;
  }>(
    db.hot,
    'target_tasks',
    `SELECT id, name, version, key_template, definition->'payload' AS payload, definition ? 'payload' AS has_payload, rules ? 'runOn' AS on_every_worker
     FROM task WHERE namespace = $1 AND name = ANY ($2) AND deleted_at IS NULL`,
    [db.namespace, names],
  );
  return new Map(
    rows.map(({ has_payload, key_template, payload, on_every_worker, ...task }) => [
      task.name,
      {
        ...task,
        keyTemplate: key_template,
        payload: has_payload ? payload : undefined,
        onEveryWorker: on_every_worker,
      },
    ]),
  );
}

/**
 * Names that tasks have had and no task has now, each with what that task is called now: all, or those of a list. Not one that another
 * task has.
 */
export async function formerNames(db: Database, names?: readonly string[]): Promise<Map<string, string>> {
  const rows = await query<{ former: string; name: string }>(
    db.hot,
    'former_names',
    `SELECT f.name AS former, t.name FROM task t CROSS JOIN LATERAL unnest(t.former_names) AS f(name)
     WHERE t.namespace = $1 AND t.former_names <> '{}' AND ($2::text[] IS NULL OR f.name = ANY ($2)) AND t.deleted_at IS NULL
       AND NOT EXISTS (SELECT FROM task o WHERE o.namespace = $1 AND o.name = f.name AND o.deleted_at IS NULL)`,
    [db.namespace, names ?? null],
  );
  return new Map(rows.map(({ former, name }) => [former, name]));
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
