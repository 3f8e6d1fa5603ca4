import { type By, EscapementError } from '@escapement/core';
import {
  type Database,
  type RerunOptions,
  type RerunResult,
  type RunView,
  rerunRun as rerunOne,
} from '@escapement/store';
import { permitOnRun } from '../rights/permit.ts';
import { requireRun, taskDeleted, unknownRun } from './require-run.ts';

export interface RunRerun {
  /** The run that is run again. */
  run: RunView;
  rerunId: string;
}

/**
 * Runs a run that has ended once more: makes a new run for the same occurrence and with the same payload, due now. Throws
 * `bad_run_id`, `unknown_run`, `run_open`, `run_rerunning`, `run_stretch` (it stands for several occurrences), `run_of_every_worker`,
 * `task_deleted`, and `unknown_key_field` where the payload does not fit the key of its task any more.
 */
export async function rerunRun(db: Database, id: string, by: By, options: RerunOptions = {}): Promise<RunRerun> {
  await permitOnRun(db, by, 'rerun', { id, action: 'rerun' });
  const run = await requireRun(db, id);
  const result = await rerunOne(db, run.id, by, options);
  if (result.kind !== 'made') throw refusal(result, run);
  return { run, rerunId: result.rerunId };
}

function refusal(result: Exclude<RerunResult, { kind: 'made' }>, { id, taskName }: RunView): EscapementError {
  switch (result.kind) {
    case 'not_found':
      return unknownRun(id);
    case 'open':
      return new EscapementError('run_open', `run ${id} has not ended: it is ${result.state}`, {
        fix:
          result.state === 'unknown'
            ? `say what became of it: \`escapement runs resolve ${id} --as rerun --reason TEXT\``
            : `wait for its end, or end it: \`escapement runs cancel ${id}\``,
      });
    case 'rerunning':
      return new EscapementError('run_rerunning', `run ${id} is being rerun already, by ${result.rerunId}`, {
        fix: `see \`escapement runs show ${result.rerunId}\``,
      });
    case 'stretch':
      return new EscapementError('run_stretch', `run ${id} stands for ${result.occurrences} occurrences`, {
        fix: `\`escapement tasks trigger ${taskName}\` runs the task once, now`,
      });
    case 'of_every_worker':
      return new EscapementError('run_of_every_worker', `run ${id} stands for a run on every worker`, {
        fix: `\`escapement tasks trigger ${taskName}\` runs the task on each, now; \`--worker NAME\` on one`,
      });
    case 'task_deleted':
      return taskDeleted(id, result.taskName);
  }
}
