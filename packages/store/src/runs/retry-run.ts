import { type By, EscapementError, isRunId, isTerminal, type RunState, scheduledForOf } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { RERUNNABLE, type Rerunnable, type RerunnableRow, rerunRuns, rerunTerms, toRerunnable } from './rerun-runs.ts';

export interface RetryOptions {
  /** Run the definition that the run had. Default: its task's present one. */
  sameVersion?: boolean;
}

export type RetryResult =
  | { kind: 'made'; rerunId: string }
  /** It has not ended. */
  | { kind: 'open'; state: RunState }
  /** An earlier re-run of it has not ended. */
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
export async function retryRun(
  db: Database,
  runId: string,
  by: By,
  { sameVersion = false }: RetryOptions = {},
): Promise<RetryResult> {
  for (let race = 0; race < MAX_RACES; race++) {
    const found = await findRerunnable(db, runId);
    if (!found) return { kind: 'not_found' };
    const refused = whyNot(found);
    if (refused) return refused;
    const terms = { ...found.run, ...rerunTerms(found.run, sameVersion) };
    const made = await rerunRuns(db, [terms], { sameVersion, once: false, action: 'retry', by });
    if (made.has(runId)) return { kind: 'made', rerunId: terms.rerunId };
  }
  throw new EscapementError('run_races', `run ${runId} or its task kept changing while it was re-run`, {
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
  /** A re-run that has not ended. */
  openRerun: string | null;
}

/** A run with all that decides whether it can be re-run. */
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

function whyNot({ state, run, occurrences, deleted, openRerun }: FoundRerunnable): RetryResult | undefined {
  if (!isTerminal(state)) return { kind: 'open', state };
  if (occurrences > 1) return { kind: 'stretch', occurrences };
  if (run.task.isSpread && run.worker === null) return { kind: 'of_every_worker', taskName: run.task.name };
  if (deleted) return { kind: 'task_deleted', taskName: run.task.name };
  return openRerun === null ? undefined : { kind: 'rerunning', rerunId: openRerun };
}

const FIND_RERUNNABLE = `
SELECT ${RERUNNABLE}, r.state, r.occurrences, t.deleted_at IS NOT NULL AS deleted, r.dispatch, r.attempt,
  (SELECT o.id FROM run o WHERE o.rerun_of = r.id AND o.namespace = r.namespace AND o.finished_at IS NULL LIMIT 1) AS open_rerun
FROM run r JOIN task t ON t.id = r.task_id
WHERE r.namespace = $1 AND r.id = $2 AND r.scheduled_for = $3`;
