import {
  type By,
  EscapementError,
  isRunId,
  isTerminal,
  type Json,
  keyOn,
  newRunId,
  type RunState,
  renderKey,
  scheduledForOf,
} from '@escapement/core';
import { toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';

/** A run as far as a rerun of it needs it. */
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
  task: { name: string; version: number; keyTemplate: string; onEveryWorker: boolean };
  /** Its own, else the one that its task has now. */
  payload: Json | undefined;
}

export interface RerunRequest {
  /** Whether with the definition that the run had, not with its task's present one. */
  sameVersion: boolean;
  /** Whether a run that has been rerun is left out; else only one whose rerun has not ended. */
  once: boolean;
  /** For the audit. */
  action: 'rerun' | 'redrive';
  by: By;
}

/** The columns of a Rerunnable, of `run r JOIN task t`. */
export const RERUNNABLE = `r.id, r.scheduled_for, r.key, r.own_key, r.task_version, t.name AS task_name, t.version, t.key_template,
  coalesce(r.payload, t.definition->'payload') AS payload, r.payload IS NOT NULL OR t.definition ? 'payload' AS has_payload, worker_of(r.need) AS of_worker, t.rules ? 'runOn' AS on_every_worker`;

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
  on_every_worker: boolean;
}

export function toRerunnable(row: RerunnableRow): Rerunnable {
  return {
    runId: row.id,
    scheduledFor: row.scheduled_for,
    key: row.key,
    ownKey: row.own_key,
    taskVersion: row.task_version,
    worker: row.of_worker,
    task: {
      name: row.task_name,
      version: row.version,
      keyTemplate: row.key_template,
      onEveryWorker: row.on_every_worker,
    },
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
 * somebody else has rerun meanwhile, or cannot be rerun any more, is not among them.
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

export interface RerunOptions {
  /** Run the definition that the run had. Default: its task's present one. */
  sameVersion?: boolean;
}

export type RerunResult =
  | { kind: 'made'; rerunId: string }
  /** It has not ended. */
  | { kind: 'open'; state: RunState }
  /** An earlier rerun of it has not ended. */
  | { kind: 'rerunning'; rerunId: string }
  /** It stands for so many occurrences that never ran. */
  | { kind: 'stretch'; occurrences: number }
  /** It stands for the runs of all workers, none of which could have it. */
  | { kind: 'of_every_worker'; taskName: string }
  | { kind: 'task_deleted'; taskName: string }
  | { kind: 'not_found' };

/** Times to start over because run or task changed meanwhile. */
const MAX_RACES = 5;

/**
 * Runs a run that has ended once more: a new row, linked by `rerun_of`, for the same occurrence and with the same
 * payload, due now. Throws `unknown_key_field` where the payload does not fit its task's key any more.
 */
export async function rerunRun(
  db: Database,
  runId: string,
  by: By,
  { sameVersion = false }: RerunOptions = {},
): Promise<RerunResult> {
  for (let race = 0; race < MAX_RACES; race++) {
    const found = await findRerunnable(db, runId);
    if (!found) return { kind: 'not_found' };
    const refused = whyNot(found);
    if (refused) return refused;
    const terms = { ...found.run, ...rerunTerms(found.run, sameVersion) };
    const made = await rerunRuns(db, [terms], { sameVersion, once: false, action: 'rerun', by });
    if (made.has(runId)) return { kind: 'made', rerunId: terms.rerunId };
  }
  throw new EscapementError('run_races', `run ${runId} or its task kept changing while it was rerun`, {
    fix: 'try again',
  });
}

export interface FoundRerunnable {
  run: Rerunnable;
  state: RunState;
  occurrences: number;
  deleted: boolean;
  dispatch: number;
  attempt: number;
  /** A rerun that has not ended. */
  openRerun: string | null;
}

/** A run with all that decides whether it can be rerun. */
export async function findRerunnable(db: Database, runId: string): Promise<FoundRerunnable | null> {
  if (!isRunId(runId)) return null;
  const [row] = await query<
    RerunnableRow & {
      state: RunState;
      occurrences: number;
      deleted: boolean;
      dispatch: number;
      attempt: number;
      open_rerun: string | null;
    }
  >(db.pool, 'find_rerunnable', FIND_RERUNNABLE, [db.namespace, runId, scheduledForOf(runId).toISOString()]);
  if (!row) return null;
  const { state, occurrences, deleted, dispatch, attempt, open_rerun: openRerun } = row;
  return { run: toRerunnable(row), state, occurrences, deleted, dispatch, attempt, openRerun };
}

function whyNot({ state, run, occurrences, deleted, openRerun }: FoundRerunnable): RerunResult | undefined {
  if (!isTerminal(state)) return { kind: 'open', state };
  if (occurrences > 1) return { kind: 'stretch', occurrences };
  if (run.task.onEveryWorker && run.worker === null) return { kind: 'of_every_worker', taskName: run.task.name };
  if (deleted) return { kind: 'task_deleted', taskName: run.task.name };
  return openRerun === null ? undefined : { kind: 'rerunning', rerunId: openRerun };
}

const FIND_RERUNNABLE = `
SELECT ${RERUNNABLE}, r.state, r.occurrences, t.deleted_at IS NOT NULL AS deleted, r.dispatch, r.attempt,
  (SELECT o.id FROM any_run o WHERE o.rerun_of = r.id AND o.namespace = r.namespace AND o.finished_at IS NULL LIMIT 1) AS open_rerun
FROM any_run r JOIN task t ON t.id = r.task_id
WHERE r.namespace = $1 AND r.id = $2 AND r.scheduled_for = $3`;
