import { type Database, query } from '../database.ts';

/** What a task ran as, when a run of it ended. */
export interface RanAs {
  version: number;
  /** Of its worker's code; null: not known, or it has none. */
  release: string | null;
}

/** The first of the failures since the last success of a task, where another version or release had that one. */
export interface FirstFailure {
  failed: RanAs & { finishedAt: Date; savedBy: string | null; savedAt: Date | null };
  succeeded: RanAs & { finishedAt: Date };
}

/** Of each task that has failed since: among the 100 runs that were due last. */
export async function firstFailures(
  db: Database,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, FirstFailure>> {
  const rows = await query<Row>(db.pool, 'first_failures', FIRST_FAILURES, [db.namespace, taskIds]);
  return new Map(
    rows.map((row) => [
      row.task_id,
      {
        failed: {
          version: row.failed_version,
          release: row.failed_release,
          finishedAt: row.failed_at,
          savedBy: row.saved_by,
          savedAt: row.saved_at,
        },
        succeeded: { version: row.version, release: row.release, finishedAt: row.succeeded_at },
      },
    ]),
  );
}

interface Row {
  task_id: string;
  failed_version: number;
  failed_release: string | null;
  failed_at: Date;
  saved_by: string | null;
  saved_at: Date | null;
  version: number;
  release: string | null;
  succeeded_at: Date;
}

// A worker's row is kept for some days after its end: then its release is not known any more.
const FIRST_FAILURES = `
SELECT i.task_id, f.task_version AS failed_version, df.release AS failed_release, f.finished_at AS failed_at,
  v.created_by AS saved_by, v.created_at AS saved_at, s.task_version AS version, ds.release, s.finished_at AS succeeded_at
FROM unnest($2::uuid[]) AS i(task_id)
CROSS JOIN LATERAL (
  SELECT r.* FROM (SELECT * FROM run WHERE task_id = i.task_id ORDER BY scheduled_for DESC LIMIT 100) r
  WHERE r.namespace = $1 AND r.state = 'succeeded' ORDER BY r.finished_at DESC LIMIT 1
) s
CROSS JOIN LATERAL (
  SELECT r.* FROM (SELECT * FROM run WHERE task_id = i.task_id ORDER BY scheduled_for DESC LIMIT 100) r
  WHERE r.namespace = $1 AND r.state IN ('failed', 'timed_out', 'quarantined') AND r.finished_at > s.finished_at
  ORDER BY r.finished_at LIMIT 1
) f
LEFT JOIN process pf ON pf.id = f.worker AND pf.namespace = $1
LEFT JOIN deployment df ON df.id = pf.deployment_id
LEFT JOIN process ps ON ps.id = s.worker AND ps.namespace = $1
LEFT JOIN deployment ds ON ds.id = ps.deployment_id
LEFT JOIN task_version v ON v.task_id = i.task_id AND v.version = f.task_version AND f.task_version <> s.task_version
WHERE f.task_version <> s.task_version OR df.release <> ds.release`;
