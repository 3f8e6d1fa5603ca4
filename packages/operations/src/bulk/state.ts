import { type BulkProgress, type BulkResult, bulkProgress, bulkResult, EscapementError } from '@escapement/core';
import { type Database, type RequestView, readRequest } from '@escapement/store';

/** How a bulk act stands. */
export type BulkState =
  /** No scheduler has begun with it. */
  | { state: 'waiting' }
  | { state: 'running'; progress: BulkProgress }
  | { state: 'done'; result: BulkResult }
  | { state: 'failed'; error: EscapementError };

/** How a bulk act stands, from its row. */
export function bulkState({ result, progress, expiresAt }: RequestView, now: Date): BulkState {
  if (result && 'error' in result) return { state: 'failed', error: result.error };
  if (result) return { state: 'done', result: bulkResult.parse(result.answer) };
  const { data } = bulkProgress.safeParse(progress);
  if (data) return { state: 'running', progress: data };
  return expiresAt <= now ? { state: 'failed', error: nobodyCame() } : { state: 'waiting' };
}

function nobodyCame(): EscapementError {
  return new EscapementError('no_scheduler_answers', 'no scheduler has begun with it in time; nothing was done', {
    fix: 'is one alive? see `escapement doctor`; then ask again',
  });
}

/** The request of an id. Throws `unknown_request`. */
export async function requireRequest(db: Database, id: string): Promise<RequestView> {
  const found = /^[0-9a-f-]{36}$/i.test(id) ? await readRequest(db, id) : null;
  if (found) return found;
  throw new EscapementError('unknown_request', `there is no request ${id}`, {
    fix: 'see `escapement requests list`; requests are kept for a day after they were answered',
  });
}
