import {
  type BulkProgress,
  type BulkResult,
  bulkProgress,
  bulkResult,
  EscapementError,
  JOB_KINDS,
} from '@escapement/core';
import { type Database, type RequestView, readRequest } from '@escapement/store';

/** How something stands that schedulers carry out in chunks. */
export type RequestState<Progress, Result> =
  /** No scheduler has begun with it. */
  | { state: 'waiting' }
  | { state: 'running'; progress: Progress }
  | { state: 'done'; result: Result }
  | { state: 'failed'; error: EscapementError };

/** How a bulk action stands. */
export type BulkState =
  | RequestState<BulkProgress, BulkResult>
  /** Somebody has paused it. Null: no scheduler had begun. */
  | { state: 'paused'; progress: BulkProgress | null };

/** How a bulk action stands, from its row. */
export function bulkState(request: RequestView, now: Date): BulkState {
  const progressOf = (progress: unknown) => bulkProgress.safeParse(progress).data;
  if (request.halt === 'paused' && !request.result)
    return { state: 'paused', progress: progressOf(request.progress) ?? null };
  return requestState(request, now, { progress: progressOf, result: (answer) => bulkResult.parse(answer) });
}

/** How a request stands, from its row. `read`: what is in there; `progress` undefined: nothing was begun. */
export function requestState<Progress, Result>(
  { result, progress, expiresAt }: RequestView,
  now: Date,
  read: { progress: (progress: unknown) => Progress | undefined; result: (answer: unknown) => Result },
): RequestState<Progress, Result> {
  if (result && 'error' in result) return { state: 'failed', error: result.error };
  if (result) return { state: 'done', result: read.result(result.answer) };
  const begun = read.progress(progress);
  if (begun !== undefined) return { state: 'running', progress: begun };
  return expiresAt <= now ? { state: 'failed', error: nobodyCame() } : { state: 'waiting' };
}

function nobodyCame(): EscapementError {
  return new EscapementError('no_scheduler_answers', 'no scheduler has begun with it in time; nothing was done', {
    fix: 'is one alive? see `escapement doctor`; then ask again',
  });
}

/** The request of an id. Throws `unknown_request`, also for a job. */
export async function requireRequest(db: Database, id: string): Promise<RequestView> {
  const found = /^[0-9a-f-]{36}$/i.test(id) ? await readRequest(db, id) : null;
  if (found && !isJob(found)) return found;
  throw unknownRequest(id);
}

/** There is no such request, or none that may be seen. */
export function unknownRequest(id: string): EscapementError {
  return new EscapementError('unknown_request', `there is no request ${id}`, {
    fix: 'see `escapement requests list`; requests are kept for a day after they were answered',
  });
}

function isJob({ request }: RequestView): boolean {
  const kind = typeof request === 'object' && request !== null && 'kind' in request ? request.kind : undefined;
  return JOB_KINDS.some((each) => each === kind);
}
