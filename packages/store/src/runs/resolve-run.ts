import { randomUUID } from 'node:crypto';
import { type By, EscapementError, type Resolution, type RunState, resolvedReason } from '@escapement/core';
import { toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import type { FinishResult } from './finish-runs.ts';
import { type FoundRerunnable, findRerunnable, rerunTerms } from './rerun-runs.ts';

export interface ResolveRequest {
  as: Resolution;
  /** Its reason says how they know. */
  by: By;
}

export type ResolveResult =
  /** `rerunId` with `as: 'rerun'`. */
  | { kind: 'resolved'; rerunId: string | null }
  /** Its fate is known. */
  | { kind: 'not_unknown'; state: RunState }
  | { kind: 'task_deleted'; taskName: string }
  | { kind: 'not_found' };

/** Times to start over because run or task changed meanwhile. */
const MAX_RACES = 5;

/** Raised by resolve_run where the rerun cannot be made after all. */
const NO_RERUN = 'ES001';

/**
 * Ends a run that is `unknown` as a person says: `rerun` ends it as failed and makes a new run for the same occurrence,
 * both or neither. Throws `unknown_key_field` where its payload does not fit its task's key any more.
 */
export async function resolveRun(db: Database, runId: string, request: ResolveRequest): Promise<ResolveResult> {
  for (let race = 0; race < MAX_RACES; race++) {
    const found = await findRerunnable(db, runId);
    if (!found) return { kind: 'not_found' };
    if (found.state !== 'unknown') return { kind: 'not_unknown', state: found.state };
    if (request.as === 'rerun' && found.deleted) return { kind: 'task_deleted', taskName: found.run.task.name };
    const resolved = await tryResolve(db, found, request);
    if (resolved) return resolved;
  }
  throw new EscapementError('run_races', `run ${runId} or its task kept changing while it was resolved`, {
    fix: 'try again',
  });
}

/** Undefined: run or task has changed since it was read. */
async function tryResolve(
  db: Database,
  { run, dispatch, attempt }: FoundRerunnable,
  { as, by }: ResolveRequest,
): Promise<ResolveResult | undefined> {
  const terms = as === 'rerun' ? rerunTerms(run, false) : undefined;
  const rerunId = terms?.rerunId;
  const values = [
    db.namespace,
    run.runId,
    run.scheduledFor.toISOString(),
    dispatch,
    attempt,
    randomUUID(),
    as === 'rerun' ? 'failed' : as,
    resolvedReason(as, by, rerunId),
    as,
    toActing(by),
    rerunId ?? null,
    terms?.version ?? null,
    terms?.key ?? null,
  ];
  try {
    const [row] = await query<{ result: FinishResult }>(db.pool, 'resolve_run', RESOLVE_RUN, values);
    return row?.result === 'applied' ? { kind: 'resolved', rerunId: rerunId ?? null } : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NO_RERUN) return undefined;
    throw error;
  }
}

const RESOLVE_RUN = `SELECT resolve_run($1, $2::uuid, $3::timestamptz, $4::integer, $5::integer, $6::uuid, $7, $8, $9,
  $10::jsonb, $11::uuid, $12::integer, $13) AS result`;
