import type { Labels } from '@escapement/core';
import { type Database, query } from '../database.ts';

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
