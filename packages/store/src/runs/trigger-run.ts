import type { By, Json, RunOrigin } from '@escapement/core';
import { WORKER_AWAITED_MS } from '@escapement/core/plan';
import { nameIn, noteAction, toActing } from '../audit-row.ts';
import { type CallersClient, withinTransaction } from '../postgres/caller-transaction.ts';
import { type Database, query } from '../postgres/database.ts';
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
  /** The key was given for this run: a rerun keeps it. Default false. */
  ownKey?: boolean | undefined;
  /** Replaces the task's payload for this run; undefined: the task's own. */
  payload: Json | undefined;
  by: By;
  /** The span that it continues. Default: its trace begins with it. */
  traceparent?: string | undefined;
  rerunOf?: string;
  /** Of a task that runs on every worker: instead of `id` and `key` the run of each worker. */
  on?: readonly RunOnWorker[] | undefined;
}

/** A run that belongs to a worker. */
export interface RunOnWorker {
  id: string;
  key: string;
  /** The name of the worker. */
  worker: string;
}

/** Inserts a run by hand, or one for each worker. Repeated with the same id it changes nothing. False: the task is gone. */
export async function triggerRun(db: Database, request: TriggerRequest): Promise<boolean> {
  const [row] = await query<Answer>(db.pool, 'trigger_run', TRIGGER_RUN, valuesOf(db, request));
  // Equivalent mutant (boolean): a statement without FROM answers with one row.
  return row?.found ?? false;
}

/** The same in a transaction of the caller: the run is there once that commits. Throws what `withinTransaction` throws. */
export async function triggerRunIn(db: Database, client: CallersClient, request: TriggerRequest): Promise<boolean> {
  return await withinTransaction(db, client, request.scheduledFor, async (run) => {
    const [row] = (await run(TRIGGER_RUN, valuesOf(db, request))) as Answer[];
    // Equivalent mutant (boolean): a statement without FROM answers with one row.
    return row?.found ?? false;
  });
}

interface Answer {
  found: boolean;
}

function valuesOf(db: Database, request: TriggerRequest): unknown[] {
  const runs: readonly (Omit<RunOnWorker, 'worker'> & { worker: string | null })[] = request.on ?? [
    { id: request.id, key: request.key, worker: null },
  ];
  return [
    runs.map(({ id }) => id),
    request.scheduledFor.toISOString(),
    request.taskId,
    request.origin,
    runs.map(({ key }) => key),
    request.payload === undefined ? null : JSON.stringify(request.payload),
    toActing(request.by),
    request.rerunOf ?? null,
    WAKE_CHANNEL,
    db.namespace,
    runs.map(({ worker }) => worker),
    WORKER_AWAITED_MS,
    request.traceparent ?? null,
    request.ownKey ?? false,
  ];
}

const TRIGGER_RUN = `
WITH found AS (
  SELECT * FROM task WHERE namespace = $10 AND id = $3 AND deleted_at IS NULL
), inserted AS (
  INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
    overlap, pool, need, due_at, start_by, payload, requested_by, rerun_of, traceparent, rate_key, own_key)
  SELECT i.id, $2, t.namespace, t.id, t.version, t.plan_epoch, $4, 'planned', i.key, t.key_limit, t.overlap, t.pool, need_on(t.need, i.worker),
    $2, $2::timestamptz + coalesce(t.start_deadline_ms, CASE WHEN i.worker IS NOT NULL THEN $12::bigint END) * interval '1 ms', $6::jsonb,
    ${nameIn('$7')}, $8, $13, ${RATE_KEY('t', '$6::jsonb')}, $14
  FROM found t CROSS JOIN unnest($1::uuid[], $5::text[], $11::text[]) AS i(id, key, worker)
  ON CONFLICT DO NOTHING
  RETURNING id, CASE WHEN own_key THEN key END AS own_key
), noted AS (
  ${noteAction({
    by: '$7',
    namespace: '$10',
    action: "'trigger'",
    subject: "'task:' || f.name",
    detail: "jsonb_strip_nulls(jsonb_build_object('run', i.id, 'key', i.own_key))",
    from: 'inserted i CROSS JOIN found f',
  })}
), woken AS (
  SELECT pg_notify($9, $10) FROM found
)
SELECT EXISTS (SELECT FROM found) AS found, (SELECT count(*) FROM woken)`;
