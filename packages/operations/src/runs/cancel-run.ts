import { type By, EscapementError, type RunState } from '@escapement/core';
import { cancelBatches, type Database, type RunView, requestCancel } from '@escapement/store';
import { permitOnRun } from '../rights/permit.ts';
import { requireRun, unknownRun } from './require-run.ts';

export type RunCancelled =
  /** It had not begun, or was between attempts: it has ended. */
  | { kind: 'cancelled'; run: RunView }
  /** A worker runs it and will stop it. */
  | { kind: 'requested'; run: RunView }
  /** It had ended long ago, but not the runs that it has fanned out: no more are made, the open ones are stopped. */
  | { kind: 'batches_cancelled'; run: RunView; batches: string[] };

/**
 * Ends a run, and the runs that it has fanned out. From here on no attempt of it begins. Repeated it changes nothing: the
 * first one's words stay. Throws `bad_run_id`, `unknown_run`, and `run_ended` where there is nothing to end.
 */
export async function cancelRun(db: Database, id: string, by: By): Promise<RunCancelled> {
  await permitOnRun(db, by, 'cancel', { id, action: 'cancel' });
  const run = await requireRun(db, id);
  const result = await requestCancel(db, run.id, by);
  if (result.kind === 'not_found') throw unknownRun(run.id);
  if (result.kind !== 'too_late') return { kind: result.kind, run };
  const batches = await cancelBatches(db, run.id, by);
  if (batches.length === 0) throw tooLate(run.id, result.state);
  return { kind: 'batches_cancelled', run, batches };
}

const ALREADY: Partial<Record<RunState, string>> = {
  succeeded: 'has already succeeded',
  failed: 'has already failed',
  timed_out: 'has already timed out',
  cancelled: 'has already been cancelled',
  quarantined: 'has already been quarantined',
  skipped: 'was skipped and never runs',
  missed: 'was missed and never runs',
  superseded: 'was superseded and never runs',
};

function tooLate(id: string, state: RunState): EscapementError {
  if (state === 'unknown')
    return new EscapementError('run_ended', `run ${id} is unknown: nobody runs it any more`, {
      fix: `say what became of it: \`escapement runs resolve ${id} --as succeeded|failed|rerun --reason TEXT\``,
    });
  return new EscapementError('run_ended', `run ${id} ${ALREADY[state] ?? `is ${state}`}`, {
    fix: `see \`escapement runs show ${id}\``,
  });
}
