import { type BulkAction, type By, bulkAction, type Principal } from '@escapement/core';
import { type Database, listRequests, type RequestView, tasksOfRuns } from '@escapement/store';
import { namesSeen, seesAll } from '../rights/labels-seen.ts';
import { requireRequest, unknownRequest } from './state.ts';

/** Requests that are looked at together, where only some of them may be seen. */
const LOOKED_AT = 100;

/** The tasks that an act is about, by name; null or none: all of the namespace. */
export async function tasksOfAction(db: Database, action: BulkAction): Promise<readonly string[] | null> {
  return action.kind === 'redrive_named' ? await tasksOfRuns(db, action.runs) : action.tasks;
}

/**
 * A request as somebody may see it: who asked for it, and whoever may see all tasks that it is about. Throws `unknown_request`, also for one
 * that they may not see.
 */
export async function requestSeenBy(db: Database, by: By, id: string): Promise<RequestView> {
  const request = await requireRequest(db, id);
  if (await seesRequest(db, by, request)) return request;
  throw unknownRequest(id);
}

/** The bulk actions that somebody may see, the latest first, at most `limit`. */
export async function requestsSeenBy(db: Database, by: By, limit: number): Promise<RequestView[]> {
  if (seesAll(db, by)) return await listRequests(db, limit);
  const seen: RequestView[] = [];
  let page: RequestView[] = [];
  do {
    page = await listRequests(db, LOOKED_AT, { beforeId: page.at(-1)?.id });
    for (const request of page) if (await seesRequest(db, by, request)) seen.push(request);
  } while (seen.length < limit && page.length === LOOKED_AT);
  return seen.slice(0, limit);
}

async function seesRequest(db: Database, by: By, { request, askedBy }: RequestView): Promise<boolean> {
  if (seesAll(db, by) || isSame(by.principal, askedBy)) return true;
  const action = bulkAction.safeParse(request).data;
  const names = action ? await tasksOfAction(db, action) : null;
  if (names === null || names.length === 0) return false;
  const seen = await namesSeen(db, by, names);
  return names.every((name) => seen.has(name));
}

function isSame(one: Principal, other: Principal): boolean {
  return one.kind === other.kind && one.id === other.id;
}
