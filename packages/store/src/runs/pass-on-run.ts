import { type Database, query } from '../postgres/database.ts';
import { isOfJob } from './admission.ts';
import type { DispatchableRun } from './plan-runs.ts';

export interface PassOnRequest {
  runId: string;
  scheduledFor: Date;
  /** Of the job in hand. */
  dispatch: number;
  /** No living worker has its code: it goes to the queue of runs whose code nobody has. */
  rests: boolean;
}

/** Queues a run that a worker has been given and cannot run under the next dispatch. Returns it; nothing: this job may not begin it any more. */
export async function passOnRun(db: Database, request: PassOnRequest): Promise<DispatchableRun[]> {
  const rows = await query<{ id: string; scheduled_for: Date; queue: string; due_at: Date; dispatch: number }>(
    db.hot,
    'pass_on_run',
    PASS_ON_RUN,
    [request.runId, request.scheduledFor.toISOString(), request.dispatch, request.rests, db.namespace],
  );
  return rows.map(({ scheduled_for: scheduledFor, due_at: dueAt, ...row }) => ({ ...row, scheduledFor, dueAt }));
}

const PASS_ON_RUN = `
UPDATE run r SET state = 'queued', dispatch = $3::integer + 1, need = CASE WHEN $4::boolean THEN need_on('code', worker_of(r.need)) ELSE r.need END
WHERE r.namespace = $5 AND r.id = $1 AND r.scheduled_for = $2 AND ${isOfJob('r', '$3::integer')}
RETURNING r.id, r.scheduled_for, queue_of(r.pool, r.need) AS queue, r.due_at, r.dispatch`;
