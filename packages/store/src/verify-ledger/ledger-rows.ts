import type { LedgerRow } from '@escapement/core/verify-ledger';
import { type Database, query } from '../postgres/database.ts';
import { isTaskOf } from '../postgres/scope.ts';
import { workerOf } from '../processes/worker-of.ts';

interface Row {
  task_id: string;
  task_version: number;
  id: string;
  scheduled_for: Date;
  created_at: Date;
  origin: LedgerRow['origin'];
  state: LedgerRow['state'];
  reason: string | null;
  until_at: Date | null;
  occurrences: number;
  of_worker: string | null;
  due_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  attempt: number;
  waited: boolean;
  released: boolean;
}

/**
 * The occurrence rows of tasks in (from, to], by task and time, and before them the last one of each task, which may be
 * a stretch that reaches into that time.
 */
export async function ledgerRows(
  db: Database,
  options: { taskIds: readonly string[]; from: Date; to: Date },
): Promise<Map<string, LedgerRow[]>> {
  const rows = await query<Row>(db.pool, 'ledger_rows', LEDGER_ROWS, [
    options.taskIds,
    options.from.toISOString(),
    options.to.toISOString(),
    db.namespace,
  ]);
  const byTask = new Map<string, LedgerRow[]>();
  for (const row of rows) {
    const list = byTask.get(row.task_id);
    if (list) list.push(toLedgerRow(row));
    else byTask.set(row.task_id, [toLedgerRow(row)]);
  }
  return byTask;
}

function toLedgerRow(row: Row): LedgerRow {
  return {
    runId: row.id,
    version: row.task_version,
    scheduledFor: row.scheduled_for,
    createdAt: row.created_at,
    origin: row.origin,
    state: row.state,
    reason: row.reason,
    untilAt: row.until_at,
    occurrences: row.occurrences,
    worker: row.of_worker,
    dueAt: row.due_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    attempt: row.attempt,
    waited: row.waited,
    released: row.released,
  };
}

const COLUMNS = `r.task_id, r.task_version, r.id, r.scheduled_for, r.created_at, r.origin, r.state, r.reason, r.until_at, r.occurrences, ${workerOf('r')} AS of_worker, r.due_at,
  r.started_at, r.finished_at, r.attempt, r.waiting_since IS NOT NULL AS waited, r.requested_by IS NOT NULL AS released`;

const IS_OCCURRENCE = 'r.distinct_by <> r.id';

const LEDGER_ROWS = `
SELECT * FROM (
  SELECT ${COLUMNS} FROM any_run r
  WHERE r.namespace = $4 AND r.task_id = ANY ($1::uuid[]) AND r.scheduled_for > $2 AND r.scheduled_for <= $3 AND ${IS_OCCURRENCE}
  UNION ALL
  SELECT b.* FROM unnest($1::uuid[]) AS t(id) CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM any_run r
    WHERE r.namespace = $4 AND r.task_id = t.id AND r.scheduled_for <= $2 AND ${IS_OCCURRENCE}
    ORDER BY r.scheduled_for DESC LIMIT 1
  ) b
) rows ORDER BY task_id, scheduled_for`;

/** Occurrences of tasks that are no longer in the database, not even as deleted; one a task. */
export async function vanishedTasks(
  db: Database,
  options: { from: Date; to: Date; limit: number },
): Promise<{ taskId: string; runId: string; scheduledFor: Date; key: string }[]> {
  const rows = await query<{ task_id: string; id: string; scheduled_for: Date; key: string }>(
    db.pool,
    'vanished_tasks',
    `SELECT DISTINCT ON (r.task_id) r.task_id, r.id, r.scheduled_for, r.key
     FROM any_run r LEFT JOIN task t ON t.id = r.task_id
     WHERE r.namespace = $1 AND r.scheduled_for > $2 AND r.scheduled_for <= $3 AND t.id IS NULL
     ORDER BY r.task_id, r.scheduled_for DESC LIMIT $4`,
    [db.namespace, options.from.toISOString(), options.to.toISOString(), options.limit],
  );
  return rows.map((row) => ({ taskId: row.task_id, runId: row.id, scheduledFor: row.scheduled_for, key: row.key }));
}

/** The workers that occurrences of these tasks in (from, to] were planned for, by task and instant in epoch milliseconds. */
export async function plannedWorkers(
  db: Database,
  options: { taskIds: readonly string[]; from: Date; to: Date },
): Promise<Map<string, Map<number, string[]>>> {
  const rows = await query<{ task_id: string; scheduled_for: Date; workers: string[] }>(
    db.pool,
    'planned_workers',
    `SELECT o.task_id, o.scheduled_for, o.workers FROM occurrence_workers o
     WHERE o.task_id = ANY ($1::uuid[]) AND o.scheduled_for > $2 AND o.scheduled_for <= $3 AND ${isTaskOf('$4', 'o.task_id')}`,
    [options.taskIds, options.from.toISOString(), options.to.toISOString(), db.namespace],
  );
  const byTask = new Map<string, Map<number, string[]>>();
  for (const row of rows) {
    const instants = byTask.get(row.task_id) ?? new Map<number, string[]>();
    byTask.set(row.task_id, instants.set(row.scheduled_for.getTime(), row.workers));
  }
  return byTask;
}
