import type { Labels } from '@escapement/core';
import { type Database, query } from '../database.ts';

/** The labels of tasks by name, those that were deleted included; what is not there has none. Null: of all tasks. */
export async function taskLabels(db: Database, names: readonly string[] | null): Promise<ReadonlyMap<string, Labels>> {
  const rows = await query<{ name: string; labels: Labels }>(
    db.pool,
    'task_labels',
    `SELECT name, coalesce(definition->'labels', '{}') AS labels FROM task WHERE namespace = $1 AND ($2::text[] IS NULL OR name = ANY ($2))`,
    [db.namespace, names],
  );
  return new Map(rows.map((row) => [row.name, row.labels]));
}
