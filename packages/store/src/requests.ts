import {
  actionOf,
  type By,
  EscapementError,
  JOB_KINDS,
  type JobKind,
  type Principal,
  readPrincipal,
  reportedCode,
  storableText,
} from '@escapement/core';
import { noteAction, toActing } from './audit-row.ts';
import { type Database, query } from './postgres/database.ts';
import { WAKE_CHANNEL } from './runs/trigger-run.ts';

/** A request that a scheduler has taken; what is asked is to be checked. */
export interface TakenRequest {
  id: string;
  request: unknown;
  /** Who asks, and why. */
  by: By;
  /** How far it has come, of one that is carried out in chunks; empty: it was not begun. Null: it is carried out at once. */
  progress: unknown;
  /** Somebody has cancelled it: no further chunk is begun. */
  cancelled: boolean;
}

/** What somebody has asked of a request that is carried out in chunks: to wait, or to come to an end. */
export type Halt = 'paused' | 'cancelled';

export interface NewRequest {
  request: unknown;
  by: By;
  /** After it nobody begins with it any more. */
  patienceMs: number;
  /** Carried out a chunk at a time, each by any scheduler. Once it was begun it is carried out to its end. Default false. */
  inChunks?: boolean;
}

/** Writes a request for any scheduler and wakes them. Returns its id. */
export async function putRequest(
  db: Database,
  { request, by, patienceMs, inChunks = false }: NewRequest,
): Promise<string> {
  const [row] = await query<{ id: string }>(
    db.pool,
    'put_request',
    `WITH put AS (
       INSERT INTO request (namespace, request, asked_by, reason, expires_at, progress)
       VALUES ($1, $2::jsonb, $3::jsonb, $4, now() + $5 * interval '1 ms', CASE WHEN $6 THEN '{}'::jsonb END) RETURNING id, progress
     ), noted AS (
       ${noteAction({
         by: '$7',
         action: "'ask'",
         subject: "'request:' || p.id",
         // The names that labels or a query stood for may be many: each has an entry of its own.
         detail: `$2::jsonb || CASE WHEN jsonb_typeof($2::jsonb->'tasks') = 'array' AND coalesce($2::jsonb->>'labels', $2::jsonb->>'query') IS NOT NULL
           THEN jsonb_build_object('tasks', jsonb_array_length($2::jsonb->'tasks')) ELSE '{}' END`,
         from: '(SELECT id FROM put WHERE progress IS NOT NULL) p',
       })}
     )
     SELECT id, pg_notify('${WAKE_CHANNEL}', $1) FROM put`,
    [
      db.namespace,
      JSON.stringify(request),
      JSON.stringify(by.principal),
      by.reason,
      patienceMs,
      inChunks,
      toActing(by),
    ],
  );
  if (!row) throw new Error('a request was not written');
  return row.id;
}

export interface TakeOptions {
  taker: string;
  /** Taken so long ago and never answered: whoever took it is gone. Milliseconds. */
  goneMs: number;
  /** The same for a chunk. */
  chunkGoneMs: number;
  limit: number;
  /** Those of `JOB_KINDS`, which take long. Default false: all others. */
  jobs?: boolean;
}

/** Takes open requests, those that are answered at once first, then the oldest. */
export async function takeRequests(
  db: Database,
  { taker, goneMs, chunkGoneMs, limit, jobs = false }: TakeOptions,
): Promise<TakenRequest[]> {
  const rows = await query<{
    id: string;
    request: unknown;
    asked_by: unknown;
    reason: string | null;
    progress: unknown;
    cancelled: boolean;
  }>(db.pool, 'take_requests', TAKE, [db.namespace, taker, goneMs, chunkGoneMs, limit, JOB_KINDS, jobs]);
  return rows.map(({ asked_by, reason, ...row }) => ({
    ...row,
    by: actionOf(readPrincipal(asked_by), reason, row.id),
  }));
}

const TAKE = `
UPDATE request r SET taken_by = $2, taken_at = now()
FROM (
  SELECT id FROM request
  WHERE namespace = $1 AND answered_at IS NULL AND (expires_at > now() OR progress <> '{}') AND halt IS DISTINCT FROM 'paused'
    AND (coalesce(request->>'kind', '') = ANY ($6::text[])) = $7
    AND (taken_at IS NULL
      OR taken_at < now() - CASE WHEN progress IS NULL THEN $3::integer ELSE $4::integer END * interval '1 ms')
  ORDER BY progress IS NOT NULL, asked_at LIMIT $5 FOR UPDATE SKIP LOCKED
) open
WHERE r.id = open.id RETURNING r.id, r.request, r.asked_by, r.reason, r.progress,
  r.halt IS NOT DISTINCT FROM 'cancelled' AS cancelled`;

/**
 * Keeps how far a request has come. `release`: any scheduler may go on with it. False: another one has taken it meanwhile.
 */
export async function keepProgress(
  db: Database,
  { id, taker, progress, release }: { id: string; taker: string; progress: unknown; release: boolean },
): Promise<boolean> {
  const rows = await query(
    db.pool,
    'keep_progress',
    `UPDATE request SET progress = $3::jsonb, taken_by = CASE WHEN $4 THEN NULL ELSE taken_by END,
       taken_at = CASE WHEN $4 THEN NULL ELSE now() END
     WHERE namespace = $5 AND id = $1 AND taken_by = $2 AND answered_at IS NULL RETURNING 1`,
    [id, taker, JSON.stringify(progress), release, db.namespace],
  );
  return rows.length > 0;
}

/**
 * Pauses, cancels or goes on with (null) what is carried out in chunks. What is cancelled stays so. What was not begun yet has as long
 * again for that. False: it has come to an end.
 */
export async function haltRequest(db: Database, id: string, halt: Halt | null, by: By): Promise<boolean> {
  const action = halt === 'paused' ? 'pause' : halt === 'cancelled' ? 'cancel' : 'resume';
  const [row] = await query(db.pool, 'halt_request', HALT_REQUEST, [db.namespace, id, halt, toActing(by), action]);
  return row !== undefined;
}

const HALT_REQUEST = `
WITH halted AS (
  UPDATE request SET halt = $3, expires_at = CASE WHEN $3::text IS NULL THEN greatest(expires_at, now() + (expires_at - asked_at)) ELSE expires_at END
  WHERE namespace = $1 AND id = $2 AND progress IS NOT NULL AND answered_at IS NULL AND halt IS DISTINCT FROM 'cancelled'
  RETURNING id
), noted AS (
  ${noteAction({ by: '$4', action: '$5::text', subject: "'request:' || halted.id", from: 'halted' })}
)
SELECT id, pg_notify('${WAKE_CHANNEL}', $1) FROM halted`;

export type RequestResult = { answer: unknown } | { error: EscapementError };

/** Answers a request, unless somebody else has taken or answered it meanwhile. */
export async function answerRequest(db: Database, id: string, taker: string, result: RequestResult): Promise<void> {
  const answer = 'answer' in result ? JSON.stringify(result.answer) : null;
  const error = 'error' in result ? toJson(result.error) : null;
  await query(
    db.pool,
    'answer_request',
    `UPDATE request SET answer = $3::jsonb, error = $4::jsonb, answered_at = now()
     WHERE namespace = $5 AND id = $1 AND taken_by = $2 AND answered_at IS NULL`,
    [id, taker, answer, error, db.namespace],
  );
}

function toJson({ code, message, fix }: EscapementError): string {
  return JSON.stringify({ code, message: storableText(message), fix: fix && storableText(fix) });
}

/** What came of a request; undefined: nothing yet. */
export async function readAnswer(db: Database, id: string): Promise<RequestResult | undefined> {
  return (await readRequest(db, id))?.result ?? undefined;
}

/** A request, as people look at it. */
export interface RequestView {
  id: string;
  request: unknown;
  askedBy: Principal;
  reason: string | null;
  askedAt: Date;
  expiresAt: Date;
  /** The scheduler that carries it out just now. */
  takenBy: string | null;
  /** As `TakenRequest.progress`. */
  progress: unknown;
  /** Null: nobody has. */
  halt: Halt | null;
  answeredAt: Date | null;
  /** Null: nothing has come of it yet. */
  result: RequestResult | null;
}

/** The request of an id. Null: there is none, or it was pruned. */
export async function readRequest(db: Database, id: string): Promise<RequestView | null> {
  const text = `SELECT ${COLUMNS} FROM request WHERE namespace = $1 AND id = $2`;
  const [row] = await query<RequestRow>(db.pool, 'read_request', text, [db.namespace, id]);
  return row ? toView(row) : null;
}

export interface ListedRequests {
  /** Jobs of this kind. Default: bulk actions. */
  job?: JobKind | null | undefined;
  /** Those that come after the request of this id; one that is not there any more has none. Default: from the latest on. */
  beforeId?: string | undefined;
}

const BEFORE =
  'AND (asked_at, id) < (SELECT b.asked_at, b.id FROM request b WHERE b.namespace = $1 AND b.id = $5::uuid)';

/** Bulk actions runs or tasks, or jobs of a kind, the latest first. */
export async function listRequests(
  db: Database,
  limit: number,
  { job = null, beforeId }: ListedRequests = {},
): Promise<RequestView[]> {
  const text = `SELECT ${COLUMNS} FROM request WHERE namespace = $1 AND progress IS NOT NULL
    AND CASE WHEN $3::text IS NULL THEN request->>'kind' <> ALL ($4::text[]) ELSE request->>'kind' = $3 END
    ${beforeId === undefined ? '' : BEFORE} ORDER BY asked_at DESC, id DESC LIMIT $2`;
  const name = beforeId === undefined ? 'list_requests' : 'list_requests_before';
  const values = [db.namespace, limit, job, JOB_KINDS, ...(beforeId === undefined ? [] : [beforeId])];
  return (await query<RequestRow>(db.pool, name, text, values)).map(toView);
}

interface RequestRow extends Omit<RequestView, 'result'> {
  answer: unknown;
  error: { code: string; message: string; fix?: string } | null;
  [column: string]: unknown;
}

const COLUMNS = `id, request, asked_by AS "askedBy", reason, asked_at AS "askedAt", expires_at AS "expiresAt",
  taken_by AS "takenBy", progress, halt, answered_at AS "answeredAt", answer, error`;

function toView({ answer, error, ...row }: RequestRow): RequestView {
  if (row.answeredAt === null) return { ...row, result: null };
  if (!error) return { ...row, result: { answer } };
  const { code, message, fix } = error;
  return {
    ...row,
    result: { error: new EscapementError(reportedCode(code), message, fix === undefined ? {} : { fix }) },
  };
}
