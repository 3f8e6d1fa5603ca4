import { TASK_DELETED } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { isEndedAhead, isOfDeletedTask, ofEachOpen } from './admission.ts';
import { type EndOfFound, type FoundRun, finishAsFound } from './finish-as-found.ts';

/** A task that was deleted, with open runs from before: as many as were asked for. */
export interface EndedTask {
  id: string;
  name: string;
  sinceEpoch: number;
  runs: RunOfDeleted[];
}

interface RunOfDeleted extends FoundRun {
  /** An occurrence that was not due before the deletion. */
  ahead: boolean;
}

/** Tasks whose deletion has left open runs. `name`: this one alone. Those without any are in the list, too: see `finishRunsOfDeleted`. */
export async function findRunsOfDeleted(
  db: Database,
  { limit, name }: { limit: number; name?: string },
): Promise<EndedTask[]> {
  const rows = await query<Row>(db.pool, 'runs_of_deleted', RUNS_OF_DELETED, [db.namespace, limit, name ?? null]);
  const tasks = new Map<string, EndedTask>();
  for (const { task_id: id, name: taskName, since_epoch: sinceEpoch, run } of rows) {
    const task = tasks.get(id) ?? { id, name: taskName, sinceEpoch, runs: [] };
    if (run) task.runs.push({ ...run, scheduled_for: new Date(run.at) });
    tasks.set(id, task);
  }
  return [...tasks.values()];
}

interface Row {
  [column: string]: unknown;
  task_id: string;
  name: string;
  since_epoch: number;
  /** Null: the task has none. */
  run: (Omit<RunOfDeleted, 'scheduled_for'> & { at: number }) | null;
}

/**
 * Ends these runs, if they are as they were found: as superseded the occurrences that were ahead, so that a task of the same name may have
 * them, else as cancelled. Where less than `limit` was found, nothing is left of these tasks. Returns how many were ended.
 */
export async function finishRunsOfDeleted(db: Database, tasks: readonly EndedTask[], limit: number): Promise<number> {
  const runs = tasks.flatMap((task) => task.runs);
  const ended = runs.length === 0 ? 0 : await finishAsFound(db, runs, endOf);
  if (runs.length < limit) await noteEnded(db, tasks);
  return ended;
}

const endOf = ({ ahead }: RunOfDeleted): EndOfFound => ({
  to: ahead ? 'superseded' : 'cancelled',
  reason: TASK_DELETED,
});

async function noteEnded(db: Database, tasks: readonly EndedTask[]): Promise<void> {
  await query(
    db.pool,
    'note_ended_tasks',
    `UPDATE task t SET ends_runs = false FROM unnest($2::uuid[], $3::integer[]) AS i(id, since_epoch)
     WHERE t.namespace = $1 AND t.id = i.id AND t.since_epoch = i.since_epoch AND t.ends_runs`,
    [db.namespace, tasks.map(({ id }) => id), tasks.map(({ sinceEpoch }) => sinceEpoch)],
  );
}

// A phase at a time: each has an index.
const RUNS_OF_DELETED = `
SELECT t.id AS task_id, t.name, t.since_epoch, CASE WHEN o.id IS NOT NULL THEN jsonb_build_object('id', o.id,
  'at', round(extract(epoch FROM o.scheduled_for) * 1000), 'state', o.state, 'dispatch', o.dispatch, 'attempt', o.attempt, 'ahead', o.ahead) END AS run
FROM task t LEFT JOIN LATERAL (
  ${ofEachOpen(
    (
      isOfPhase,
    ) => `SELECT r.id, r.scheduled_for, r.state, r.dispatch, r.attempt, ${isEndedAhead('r')} AS ahead FROM run r
    WHERE r.namespace = $1 AND ${isOfPhase} AND r.task_id = t.id AND r.state <> 'running' AND ${isOfDeletedTask('r', 't')}`,
  )}
) o ON true
WHERE t.namespace = $1 AND t.ends_runs AND ($3::text IS NULL OR t.name = $3)
LIMIT $2`;
