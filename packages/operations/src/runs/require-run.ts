import { EscapementError, isRunId } from '@escapement/core';
import { type Database, findRun, type RunView, runIdsFrom } from '@escapement/store';

/** Fewer digits are rather a mistake than an id. */
const LEAST_DIGITS = 6;
/** So many candidates are named. */
const NAMED = 5;

/**
 * The id that somebody gave, or the only one that begins with what they gave: at least six hexadecimal digits, with or without
 * the dashes. Throws `bad_run_id`, `ambiguous_run_id`, `unknown_run`; a whole id is not looked for.
 */
export async function wholeRunId(db: Database, given: string): Promise<string> {
  const lower = given.trim().toLowerCase();
  if (isRunId(lower)) return lower;
  const digits = lower.replaceAll('-', '');
  if (!/^[0-9a-f]+$/.test(digits) || digits.length < LEAST_DIGITS || digits.length > 32)
    throw new EscapementError('bad_run_id', `"${given}" is not the id of a run`, {
      fix: `give an id as \`escapement runs list\` shows it, or the first of its digits, at least ${LEAST_DIGITS}`,
    });
  const [id, ...others] = await runIdsFrom(db, digits, NAMED + 1);
  if (id === undefined) throw unknownRun(given);
  if (others.length === 0) return id;
  const named = [id, ...others].slice(0, NAMED).join(', ');
  throw new EscapementError(
    'ambiguous_run_id',
    `several runs begin with ${given}: ${named}${others.length < NAMED ? '' : ', ...'}`,
    {
      fix: 'give more digits',
    },
  );
}

/** The run of an id, or of its first digits. Throws `bad_run_id`, `ambiguous_run_id`, `unknown_run`. */
export async function requireRun(db: Database, given: string): Promise<RunView> {
  const id = await wholeRunId(db, given);
  const run = await findRun(db, id);
  if (run) return run;
  throw unknownRun(id);
}

export function unknownRun(id: string): EscapementError {
  return new EscapementError('unknown_run', `there is no run ${id}`, {
    fix: 'see `escapement runs list`; old runs are deleted after the retention of their task',
  });
}

/** A run of a deleted task is not run again. */
export function taskDeleted(id: string, taskName: string): EscapementError {
  return new EscapementError('task_deleted', `run ${id} cannot be rerun: its task "${taskName}" was deleted`, {
    fix: 'save the task again first; that revives it',
  });
}
