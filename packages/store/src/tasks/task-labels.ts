import type { LabelFilter, Labels } from '@escapement/core/rights';
import { type Database, query } from '../postgres/database.ts';
import { toLike } from '../postgres/like.ts';

/** The labels of tasks by name, those that were deleted included; what is not there has none. */
export async function taskLabels(db: Database, names: readonly string[]): Promise<ReadonlyMap<string, Labels>> {
  const rows = await query<{ name: string; labels: Labels }>(
    db.pool,
    'task_labels',
    `SELECT name, coalesce(definition->'labels', '{}') AS labels FROM task WHERE namespace = $1 AND name = ANY ($2::text[])`,
    [db.namespace, names],
  );
  return new Map(rows.map((row) => [row.name, row.labels]));
}

/** A task that labels select. */
export interface SelectedTask {
  id: string;
  name: string;
  labels: Labels;
}

/** Which tasks: all that is given must be met. */
export interface TaskChoice {
  labels?: LabelFilter | undefined;
  /** One of these names, in which `*` stands for anything. */
  names?: readonly string[] | undefined;
}

/** The tasks of a choice, by name; those that are deleted are none. */
export async function selectTasks(db: Database, { labels, names }: TaskChoice): Promise<SelectedTask[]> {
  return await query<SelectedTask & { [column: string]: unknown }>(
    db.pool,
    'select_tasks',
    `SELECT t.id, t.name, t.definition->'labels' AS labels FROM task t
     WHERE t.namespace = $1 AND t.deleted_at IS NULL AND ${meetsLabels('t', '$2')}
       AND ($3::text[] IS NULL OR t.name LIKE ANY ($3::text[])) ORDER BY t.name`,
    [db.namespace, toSelectors(labels), names?.map(toLike) ?? null],
  );
}

/**
 * A task meets a selector, as `matchesSelector` of core has it, or one of several. `task`: an alias with the columns of `task`;
 * `selectors`: a parameter of `toSelectors`. The first parameter of the statement is the namespace.
 */
export const hasLabels = (task: string, selectors: string): string =>
  `${task}.id IN (SELECT task_id FROM tasks_labelled($1, ${selectors}::jsonb))`;

/** The same, where no selectors (null) are met by all. */
export const meetsLabels = (task: string, selectors: string): string =>
  `(${selectors}::jsonb IS NULL OR ${hasLabels(task, selectors)})`;

/** Selectors as a parameter. */
export function toSelectors(filter: LabelFilter | undefined): string | null {
  return filter ? JSON.stringify([filter].flat().map(({ terms }) => terms)) : null;
}
