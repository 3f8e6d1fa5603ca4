import { type RunState, scheduledForOf } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import type { HeldRun } from '../runs/held-runs.ts';
import { RERUNNABLE, type Rerunnable, type RerunnableRow, toRerunnable } from '../runs/rerun-runs.ts';
import { isForAPerson } from '../shadow/handovers.ts';

/** A chosen run as it is now. */
export interface ChosenState {
  state: RunState;
  cancelRequested: boolean;
}

/** How chosen runs stand, by their id; those that were pruned are not among them. */
export async function chosenStates(db: Database, ids: readonly string[]): Promise<Map<string, ChosenState>> {
  const rows = await query<{ id: string; state: RunState; requested: boolean }>(
    db.pool,
    'chosen_states',
    `SELECT r.id, r.state, r.cancel_requested_at IS NOT NULL AS requested FROM any_run r WHERE ${AMONG}`,
    parametersOf(db, ids),
  );
  return new Map(rows.map(({ id, state, requested }) => [id, { state, cancelRequested: requested }]));
}

/** The tasks of runs, by name. */
export async function tasksOfRuns(db: Database, ids: readonly string[]): Promise<string[]> {
  const rows = await query<{ name: string }>(
    db.pool,
    'tasks_of_runs',
    `SELECT DISTINCT t.name FROM any_run r JOIN task t ON t.id = r.task_id WHERE ${AMONG} ORDER BY t.name`,
    parametersOf(db, ids),
  );
  return rows.map(({ name }) => name);
}

/** How many of these runs can be run again, and were not yet: they have ended, and stand for one occurrence of a task that is there. */
export async function countNotRerun(db: Database, ids: readonly string[]): Promise<number> {
  const [row] = await query<{ count: number }>(
    db.pool,
    'count_not_rerun',
    `SELECT count(*)::integer AS count FROM any_run r JOIN task t ON t.id = r.task_id AND t.deleted_at IS NULL
     WHERE ${AMONG} AND r.finished_at IS NOT NULL AND r.until_at IS NULL
       AND NOT EXISTS (SELECT FROM any_run o WHERE o.rerun_of = r.id AND o.namespace = $1)`,
    parametersOf(db, ids),
  );
  return row?.count ?? 0;
}

/** The name of the task of each of these runs, by the id of the run; those that were pruned are not among them. */
export async function taskNameOfEach(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await query<{ id: string; name: string }>(
    db.pool,
    'task_name_of_each',
    `SELECT r.id, t.name FROM any_run r JOIN task t ON t.id = r.task_id WHERE ${AMONG}`,
    parametersOf(db, ids),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Those of the chosen runs that are still held, in the order in which they were chosen. */
export async function chosenHeld(db: Database, ids: readonly string[]): Promise<HeldRun[]> {
  const rows = await query<{ id: string; scheduled_for: Date; dispatch: number }>(
    db.pool,
    'chosen_held',
    `SELECT r.id, r.scheduled_for, r.dispatch FROM any_run r WHERE ${AMONG} AND ${isForAPerson('r')}
     ORDER BY array_position($2::uuid[], r.id)`,
    parametersOf(db, ids),
  );
  return rows.map(({ id, scheduled_for: scheduledFor, dispatch }) => ({ id, scheduledFor, dispatch, priority: 0 }));
}

/** Chosen runs with what a rerun of them needs. */
export async function chosenRerunnables(db: Database, ids: readonly string[]): Promise<Rerunnable[]> {
  const rows = await query<RerunnableRow>(
    db.pool,
    'chosen_rerunnables',
    `SELECT ${RERUNNABLE} FROM any_run r JOIN task t ON t.id = r.task_id WHERE ${AMONG}`,
    parametersOf(db, ids),
  );
  return rows.map(toRerunnable);
}

function parametersOf(db: Database, ids: readonly string[]): unknown[] {
  return [db.namespace, ids, ids.map((id) => scheduledForOf(id).toISOString())];
}

const AMONG = 'r.namespace = $1 AND r.id = ANY ($2::uuid[]) AND r.scheduled_for = ANY ($3::timestamptz[])';
