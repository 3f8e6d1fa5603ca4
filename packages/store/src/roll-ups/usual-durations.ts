import { type Database, query } from '../postgres/database.ts';

/** How long the runs of a task usually take. Milliseconds, at most 5 % off. */
export interface UsualDuration {
  p50Ms: number;
  p95Ms: number;
  /** How many runs that was learned from: those of the last 7 days; where these are less than 20, of the last 90. */
  runs: number;
}

/** Of tasks of which at least so many runs are known; the others are not in it. Hours that are not over do not count. */
export async function usualDurations(
  db: Database,
  taskIds: readonly string[],
  leastRuns: number,
): Promise<ReadonlyMap<string, UsualDuration>> {
  if (taskIds.length === 0) return new Map();
  const rows = await query<UsualDuration & { id: string; [column: string]: unknown }>(
    db.pool,
    'usual_durations',
    `SELECT d.task_id AS id, d.runs, d.p50_ms AS "p50Ms", d.p95_ms AS "p95Ms"
     FROM unnest($2::uuid[]) AS i(task_id) JOIN task t ON t.id = i.task_id AND t.namespace = $1
     JOIN task_duration d ON d.task_id = i.task_id AND d.runs >= $3`,
    [db.namespace, taskIds, leastRuns],
  );
  return new Map(rows.map(({ id, ...usual }) => [id, usual]));
}
