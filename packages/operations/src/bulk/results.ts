import type { By } from '@escapement/core';
import {
  type ActionOfRequest,
  actionsOfRequest,
  type Database,
  type RequestView,
  taskNameOfEach,
} from '@escapement/store';
import { requestSeenBy } from './seen.ts';

/** A run or task that a bulk action was done to. */
export interface BulkDone extends Omit<ActionOfRequest, 'action'> {
  /** `dropped`: it ended as missed, for a newer one that goes on. */
  outcome: 'done' | 'dropped';
}

/** Where a page of results begins: behind this one (null: with the first), and how many it has at most. */
interface ResultsPage {
  id: string;
  afterId: number | null;
  limit: number;
}

/**
 * What a bulk action was done to so far, the earliest first, for whoever may see the act, and its request. The name of a task is null where the
 * run was pruned. What was refused or had moved on is in the request, as far as it is kept. Throws `unknown_request`.
 */
export async function bulkResults(
  db: Database,
  by: By,
  { id, afterId, limit }: ResultsPage,
): Promise<{ items: BulkDone[]; request: RequestView }> {
  const request = await requestSeenBy(db, by, id);
  const actions = await actionsOfRequest(db, { requestId: request.id, afterId, limit });
  const names = await taskNameOfEach(
    db,
    actions.flatMap(({ runId }) => runId ?? []),
  );
  const items = actions.map(({ action, ...done }) => ({
    ...done,
    taskName: done.taskName ?? names.get(done.runId ?? '') ?? null,
    outcome: action === 'recovery drop' && isRunHeld(request) ? ('dropped' as const) : ('done' as const),
  }));
  return { items, request };
}

function isRunHeld({ request }: RequestView): boolean {
  return typeof request === 'object' && request !== null && 'kind' in request && request.kind === 'run_held';
}
