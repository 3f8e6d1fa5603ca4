import { type DurationDigest, quantileOf } from '@escapement/core';
import { type Database, query } from '../database.ts';

/** How long the runs of a task took in the last 7 days. */
export interface UsualDuration {
  runs: number;
  /** Milliseconds, at most 5 % off. */
  p50Ms: number;
  p95Ms: number;
}

/** From the roll-ups: the hours that are over. Tasks without ended runs are not in it. */
export async function usualDurations(
  db: Database,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, UsualDuration>> {
  const rows = await query<{ task_id: string; took: DurationDigest }>(db.pool, 'usual_durations', USUAL, [
    db.namespace,
    taskIds,
  ]);
  return new Map(
    rows.flatMap(({ task_id: id, took }) => {
      const [p50Ms, p95Ms] = [quantileOf(took, 0.5), quantileOf(took, 0.95)];
      const runs = Object.values(took).reduce((sum, count) => sum + count, 0);
      return p50Ms === null || p95Ms === null ? [] : [[id, { runs, p50Ms, p95Ms }] as const];
    }),
  );
}

const USUAL = `
SELECT b.task_id, jsonb_object_agg(b.bucket, b.runs) AS took FROM (
  SELECT h.task_id, one.key AS bucket, sum(one.value::integer) AS runs
  FROM unnest($2::uuid[]) AS i(task_id) JOIN task t ON t.id = i.task_id AND t.namespace = $1
  JOIN task_hour h ON h.task_id = i.task_id AND h.hour >= now() - interval '7 days' CROSS JOIN LATERAL jsonb_each_text(h.took) one GROUP BY 1, 2
) b GROUP BY 1`;
