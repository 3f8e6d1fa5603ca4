import { type Database, query } from '../postgres/database.ts';

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

/** The last run of a task that succeeded, and the first after it that failed. */
export interface TurnOfTask {
  taskId: string;
  succeeded: RunRef;
  failed: RunRef;
}

interface RunRef {
  id: string;
  scheduledFor: Date;
}

/** What was another one when they began to fail, by task. A task that had the same version and release is left out. */
export async function firstFailures(
  db: Database,
  turns: readonly TurnOfTask[],
): Promise<ReadonlyMap<string, FirstFailure>> {
  const rows = await query<Row>(db.pool, 'first_failures', FIRST_FAILURES, [
    db.namespace,
    turns.map(({ taskId }) => taskId),
    turns.map(({ failed }) => failed.id),
    turns.map(({ failed }) => failed.scheduledFor.toISOString()),
    turns.map(({ succeeded }) => succeeded.id),
    turns.map(({ succeeded }) => succeeded.scheduledFor.toISOString()),
  ]);
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
FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::uuid[], $6::timestamptz[])
  AS i(task_id, failed, failed_for, succeeded, succeeded_for)
JOIN any_run f ON f.id = ANY (ARRAY[i.failed]) AND f.scheduled_for = i.failed_for AND f.namespace = $1
JOIN any_run s ON s.id = ANY (ARRAY[i.succeeded]) AND s.scheduled_for = i.succeeded_for AND s.namespace = $1
LEFT JOIN process pf ON pf.id = f.worker AND pf.namespace = $1
LEFT JOIN deployment df ON df.id = pf.deployment_id
LEFT JOIN process ps ON ps.id = s.worker AND ps.namespace = $1
LEFT JOIN deployment ds ON ds.id = ps.deployment_id
LEFT JOIN task_version v ON v.task_id = i.task_id AND v.version = f.task_version AND f.task_version <> s.task_version
WHERE f.task_version <> s.task_version OR df.release <> ds.release`;
