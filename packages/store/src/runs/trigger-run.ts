import type { By, Json, RunOrigin } from '@escapement/core';
import { nameIn, noteAct, toActing } from '../audit-row.ts';
import { type CallersClient, withinTransaction } from '../caller-transaction.ts';
import { type Database, query } from '../database.ts';
import { RATE_KEY } from '../rates/rate-key.ts';

/** Hint for schedulers that there is something to dispatch now; nothing depends on its arrival. */
export const WAKE_CHANNEL = 'escapement_wake';

export interface TriggerRequest {
  id: string;
  /** When it is due: now, or later. */
  scheduledFor: Date;
  taskId: string;
  origin: Extract<RunOrigin, 'trigger' | 'rerun' | 'lifecycle'>;
  key: string;
  /** Replaces the task's payload for this run; undefined: the task's own. */
  payload: Json | undefined;
  by: By;
  rerunOf?: string;
}

/** Inserts a run by hand. Repeated with the same id it changes nothing. False: the task is gone. */
export async function triggerRun(db: Database, request: TriggerRequest): Promise<boolean> {
  const [row] = await query<Answer>(db.pool, 'trigger_run', TRIGGER_RUN, valuesOf(db, request));
  return row?.found ?? false;
}

/** The same in a transaction of the caller: the run is there once that commits. Throws what `withinTransaction` throws. */
export async function triggerRunIn(db: Database, client: CallersClient, request: TriggerRequest): Promise<boolean> {
  return await withinTransaction(db, client, request.scheduledFor, async (run) => {
    const [row] = (await run(TRIGGER_RUN, valuesOf(db, request))) as Answer[];
    return row?.found ?? false;
  });
}

interface Answer {
  found: boolean;
}

function valuesOf(db: Database, request: TriggerRequest): unknown[] {
  return [
    request.id,
    request.scheduledFor.toISOString(),
    request.taskId,
    request.origin,
    request.key,
    request.payload === undefined ? null : JSON.stringify(request.payload),
    toActing(request.by),
    request.rerunOf ?? null,
    WAKE_CHANNEL,
    db.namespace,
  ];
}

const TRIGGER_RUN = `
WITH found AS (
  SELECT * FROM task WHERE namespace = $10 AND id = $3 AND deleted_at IS NULL
), inserted AS (
  INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
    overlap, pool, need, due_at, start_by, payload, requested_by, rerun_of, rate_key)
  SELECT $1, $2, t.namespace, t.id, t.version, t.plan_epoch, $4, 'planned', $5, t.key_limit, t.overlap, t.pool, t.need,
    $2, $2::timestamptz + t.start_deadline_ms * interval '1 ms', $6::jsonb, ${nameIn('$7')}, $8,
    ${RATE_KEY('t', '$6::jsonb')}
  FROM found t
  ON CONFLICT DO NOTHING
  RETURNING id
), noted AS (
  ${noteAct({
    by: '$7',
    namespace: '$10',
    action: "'trigger'",
    subject: "'task:' || f.name",
    detail: "jsonb_build_object('run', i.id)",
    from: 'inserted i CROSS JOIN found f',
  })}
), woken AS (
  SELECT pg_notify($9, $10) FROM found
)
SELECT EXISTS (SELECT FROM found) AS found, (SELECT count(*) FROM woken)`;
