import { type BulkAction, type By, bulkAction, EscapementError } from '@escapement/core';
import { namespaceObject, type Right, taskObject } from '@escapement/core/rights';
import { type Database, type Halt, haltRequest, taskLabels } from '@escapement/store';
import { permit } from '../rights/permit.ts';
import { tasksOfAction } from './seen.ts';
import { requireRequest } from './state.ts';

const RIGHT_OF: { readonly [Kind in BulkAction['kind']]: Right } = {
  cancel_runs: 'cancel',
  rerun_runs: 'rerun',
  redrive_runs: 'rerun',
  redrive_named: 'rerun',
  resolve_runs: 'rerun',
  run_held: 'rerun',
  drop_held: 'cancel',
  pause_tasks: 'pause',
  resume_tasks: 'pause',
  trigger_tasks: 'trigger',
};

const ACTION_OF = { paused: 'pause', cancelled: 'cancel' } as const;

/**
 * Pauses a bulk action, cancels it, or goes on with it (null). What was begun, at most a hundred runs or tasks, is done all the same; nothing
 * of that is taken back. The right is that of the act, on each task that it is about. Throws `unknown_request`, and `request_ended`.
 */
export async function haltBulk(db: Database, id: string, halt: Halt | null, by: By): Promise<void> {
  const { request } = await requireRequest(db, id);
  await permitHalt(db, by, {
    id,
    bulk: bulkAction.parse(request),
    action: halt === null ? 'resume' : ACTION_OF[halt],
  });
  if (await haltRequest(db, id, halt, by)) return;
  throw new EscapementError('request_ended', `request ${id} has ended, or was cancelled`, {
    fix: 'see what came of it: `escapement requests show`, or GET /v1/bulk/ID',
  });
}

async function permitHalt(
  db: Database,
  by: By,
  { id, bulk, action }: { id: string; bulk: BulkAction; action: string },
): Promise<void> {
  const right = RIGHT_OF[bulk.kind];
  await permit(db, by, { action, subject: { request: id } }, async () => {
    const names = await tasksOfAction(db, bulk);
    if (names === null || names.length === 0)
      return [{ right, object: namespaceObject(db.namespace, 'runs of all tasks') }];
    const labels = await taskLabels(db, names);
    return names.map((name) => ({ right, object: taskObject(db.namespace, name, labels.get(name)) }));
  });
}
