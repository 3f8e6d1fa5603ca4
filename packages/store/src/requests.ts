import { EscapementError } from '@escapement/core';
import { type Database, query } from './database.ts';
import { WAKE_CHANNEL } from './runs/trigger-run.ts';

/** A request that a scheduler has taken; what is asked is to be checked. */
export interface TakenRequest {
  id: string;
  request: unknown;
}

/** Writes a request for any scheduler and wakes them. After `patienceMs` nobody begins with it any more. Returns its id. */
export async function putRequest(
  db: Database,
  { request, who, patienceMs }: { request: unknown; who: string; patienceMs: number },
): Promise<string> {
  const [row] = await query<{ id: string }>(
    db.pool,
    'put_request',
    `WITH put AS (
       INSERT INTO request (namespace, request, asked_by, expires_at)
       VALUES ($1, $2::jsonb, $3, now() + $4 * interval '1 ms') RETURNING id
     )
     SELECT id, pg_notify('${WAKE_CHANNEL}', $1) FROM put`,
    [db.namespace, JSON.stringify(request), who, patienceMs],
  );
  if (!row) throw new Error('a request was not written');
  return row.id;
}

/** Takes open requests, the oldest first; also such as somebody took more than `goneMs` ago and never answered. */
export async function takeRequests(
  db: Database,
  { taker, goneMs, limit }: { taker: string; goneMs: number; limit: number },
): Promise<TakenRequest[]> {
  return await query<TakenRequest & { [column: string]: unknown }>(db.pool, 'take_requests', TAKE, [
    db.namespace,
    taker,
    goneMs,
    limit,
  ]);
}

const TAKE = `
UPDATE request r SET taken_by = $2, taken_at = now()
FROM (
  SELECT id FROM request
  WHERE namespace = $1 AND answered_at IS NULL AND expires_at > now()
    AND (taken_at IS NULL OR taken_at < now() - $3 * interval '1 ms')
  ORDER BY asked_at LIMIT $4 FOR UPDATE SKIP LOCKED
) open
WHERE r.id = open.id RETURNING r.id, r.request`;

export type RequestResult = { answer: unknown } | { error: EscapementError };

/** Answers a request, unless somebody else has taken or answered it meanwhile. */
export async function answerRequest(db: Database, id: string, taker: string, result: RequestResult): Promise<void> {
  const answer = 'answer' in result ? JSON.stringify(result.answer) : null;
  const error = 'error' in result ? toJson(result.error) : null;
  await query(
    db.pool,
    'answer_request',
    `UPDATE request SET answer = $3::jsonb, error = $4::jsonb, answered_at = now()
     WHERE id = $1 AND taken_by = $2 AND answered_at IS NULL`,
    [id, taker, answer, error],
  );
}

function toJson({ code, message, fix }: EscapementError): string {
  return JSON.stringify({ code, message, fix });
}

/** What came of a request; undefined: nothing yet. */
export async function readAnswer(db: Database, id: string): Promise<RequestResult | undefined> {
  const [row] = await query<{ answer: unknown; error: { code: string; message: string; fix?: string } | null }>(
    db.pool,
    'read_answer',
    'SELECT answer, error FROM request WHERE id = $1 AND answered_at IS NOT NULL',
    [id],
  );
  if (!row) return undefined;
  if (!row.error) return { answer: row.answer };
  const { code, message, fix } = row.error;
  return { error: new EscapementError(code, message, fix === undefined ? {} : { fix }) };
}
