import { EscapementError, isRunId } from '@escapement/core';
import { type Database, findRun, type RunView } from '@escapement/store';

/** The run of an id. Throws `bad_run_id`, `unknown_run`. */
export async function requireRun(db: Database, id: string): Promise<RunView> {
  const lower = id.toLowerCase();
  if (!isRunId(lower))
    throw new EscapementError('bad_run_id', `"${id}" is not the id of a run`, {
      fix: 'give a whole id as `escapement runs list` shows it',
    });
  const run = await findRun(db, lower);
  if (run) return run;
  throw unknownRun(lower);
}

export function unknownRun(id: string): EscapementError {
  return new EscapementError('unknown_run', `there is no run ${id}`, {
    fix: 'see `escapement runs list`; old runs are deleted after the retention of their task',
  });
}

/** A run of a deleted task is not run again. */
export function taskDeleted(id: string, taskName: string): EscapementError {
  return new EscapementError('task_deleted', `run ${id} cannot be re-run: its task "${taskName}" was deleted`, {
    fix: 'save the task again first; that revives it',
  });
}
