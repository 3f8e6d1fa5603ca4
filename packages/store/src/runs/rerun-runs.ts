import { type By, type Json, keyOn, newRunId, renderKey } from '@escapement/core';
import { toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';

/** A run as far as a re-run of it needs it. */
export interface Rerunnable {
  runId: string;
  scheduledFor: Date;
  key: string;
  /** Whoever triggered it gave it its key. */
  ownKey: boolean;
  /** The version of its task that it ran. */
  taskVersion: number;
  /** The worker that it belongs to; null: to none. */
  worker: string | null;
  task: { name: string; version: number; keyTemplate: string; isSpread: boolean };
  /** Its own, else the one that its task has now. */
  payload: Json | undefined;
}

export interface RerunRequest {
  /** Whether with the definition that the run had, not with its task's present one. */
  sameVersion: boolean;
  /** Whether a run that has been re-run is left out; else only one whose re-run has not ended. */
  once: boolean;
  /** For the audit. */
  action: 'retry' | 'redrive';
  by: By;
}

/** The columns of a Rerunnable, of `run r JOIN task t`. */
export const RERUNNABLE = `r.id, r.scheduled_for, r.key, r.own_key, r.task_version, t.name AS task_name, t.version, t.key_template,
  coalesce(r.payload, t.definition->'payload') AS payload, r.payload IS NOT NULL OR t.definition ? 'payload' AS has_payload, worker_of(r.need) AS of_worker, t.rules ? 'spread' AS is_spread`;

export interface RerunnableRow {
  id: string;
  scheduled_for: Date;
  key: string;
  own_key: boolean;
  task_version: number;
  task_name: string;
  version: number;
  key_template: string;
  payload: Json;
  has_payload: boolean;
  of_worker: string | null;
  is_spread: boolean;
}

export function toRerunnable(row: RerunnableRow): Rerunnable {
  return {
    runId: row.id,
    scheduledFor: row.scheduled_for,
    key: row.key,
    ownKey: row.own_key,
    taskVersion: row.task_version,
    worker: row.of_worker,
    task: { name: row.task_name, version: row.version, keyTemplate: row.key_template, isSpread: row.is_spread },
    payload: row.has_payload ? row.payload : undefined,
  };
}

/** Under what a run is run again. Throws `unknown_key_field` where its payload does not fit its task's key any more. */
export function rerunTerms(
  run: Rerunnable,
  sameVersion: boolean,
  rerunId = newRunId(run.scheduledFor),
): { rerunId: string; version: number; key: string } {
  if (sameVersion) return { rerunId, version: run.taskVersion, key: run.key };
  if (run.ownKey) return { rerunId, version: run.task.version, key: run.key };
  const key = renderKey(run.task.keyTemplate, run.payload);
  return { rerunId, version: run.task.version, key: run.worker === null ? key : keyOn(key, run.worker) };
}

/**
 * Makes a new run for each that has ended, in one statement. Returns the ids of the new ones by those of the old; what
 * somebody else has re-run meanwhile, or cannot be re-run any more, is not among them.
 */
export async function rerunRuns(
  db: Database,
  runs: readonly (Rerunnable & ReturnType<typeof rerunTerms>)[],
  request: RerunRequest,
): Promise<Map<string, string>> {
  const rows = await query<{ run_id: string; rerun_id: string }>(db.pool, 'rerun_runs', RERUN_RUNS, [
    db.namespace,
    runs.map((run) => run.runId),
    runs.map((run) => run.scheduledFor.toISOString()),
    runs.map((run) => run.rerunId),
    runs.map((run) => run.version),
    runs.map((run) => run.key),
    !request.sameVersion,
    request.once,
    request.action,
    toActing(request.by),
  ]);
  return new Map(rows.map((row) => [row.run_id, row.rerun_id]));
}

const RERUN_RUNS = `SELECT run_id, rerun_id FROM rerun_runs($1, $2::uuid[], $3::timestamptz[], $4::uuid[], $5::integer[],
  $6::text[], $7, $8, $9, $10::jsonb)`;
