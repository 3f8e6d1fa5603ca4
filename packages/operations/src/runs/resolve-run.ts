import { type By, EscapementError, type Resolution } from '@escapement/core';
import { type Database, type RunView, resolveRun as resolveOne } from '@escapement/store';
import { needsReason } from '../needs-reason.ts';
import { permitOnRun } from '../rights/permit.ts';
import { requireRun, taskDeleted, unknownRun } from './require-run.ts';

export interface RunResolved {
  run: RunView;
  /** With `rerun`: the run that runs it again; else null. */
  rerunId: string | null;
}

/**
 * Says what became of a run that is `unknown`: it succeeded, it failed, or it has to run again. `by` says how one knows.
 * Throws `bad_run_id`, `unknown_run`, `run_not_unknown`, `task_deleted`, `no_reason`, and `unknown_key_field` where the
 * payload does not fit the key of its task any more.
 */
export async function resolveRun(db: Database, id: string, as: Resolution, by: By): Promise<RunResolved> {
  await permitOnRun(db, by, 'rerun', { id, action: 'resolve' });
  needsReason(by, 'a run is resolved by somebody who knows what became of it');
  const run = await requireRun(db, id);
  const result = await resolveOne(db, run.id, { as, by });
  switch (result.kind) {
    case 'not_found':
      throw unknownRun(run.id);
    case 'task_deleted':
      throw taskDeleted(run.id, result.taskName);
    case 'not_unknown':
      throw new EscapementError('run_not_unknown', `run ${run.id} is ${result.state}, not unknown`, {
        fix: 'only a run whose fate nobody knows is resolved: `escapement runs list --state unknown`',
      });
    case 'resolved':
      return { run, rerunId: result.rerunId };
  }
}
