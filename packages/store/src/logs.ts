import { scheduledForOf } from '@escapement/core';
import { type Database, query } from './postgres/database.ts';
import { isRunOf } from './postgres/scope.ts';

export interface LogChunk {
  runId: string;
  attempt: number;
  seq: number;
  /** Up to 64 KiB. */
  text: string;
}

/** Appends pieces of run logs. Repeated it changes nothing. Pieces of runs that are not there are left out. */
export async function appendLogs(db: Database, chunks: readonly LogChunk[]): Promise<void> {
  await query(
    db.hot,
    'append_logs',
    `INSERT INTO run_log_chunk (run_id, attempt, seq, text)
     SELECT i.run_id, i.attempt, i.seq, i.text
     FROM unnest($1::uuid[], $2::integer[], $3::integer[], $4::text[], $5::timestamptz[])
       AS i(run_id, attempt, seq, text, scheduled_for)
     WHERE ${isRunOf('$6', 'i.run_id', 'i.scheduled_for')}
       AND NOT EXISTS (SELECT FROM run_log_chunk c WHERE c.run_id = i.run_id AND c.attempt = i.attempt AND c.seq = i.seq)
     ON CONFLICT DO NOTHING`,
    [
      chunks.map((chunk) => chunk.runId),
      chunks.map((chunk) => chunk.attempt),
      chunks.map((chunk) => chunk.seq),
      chunks.map((chunk) => chunk.text),
      chunks.map((chunk) => scheduledForOf(chunk.runId).toISOString()),
      db.namespace,
    ],
  );
}

/** A run's log after a position, in order. */
export async function readLogs(
  db: Database,
  runId: string,
  options: { after?: { attempt: number; seq: number }; limit?: number } = {},
): Promise<{ attempt: number; seq: number; text: string }[]> {
  return await query<{ attempt: number; seq: number; text: string }>(
    db.pool,
    'read_logs',
    `SELECT attempt, seq, text FROM run_log_chunk
     WHERE run_id = $1 AND (attempt, seq) > ($2, $3) AND ${isRunOf('$6', '$1::uuid', '$5')}
     ORDER BY attempt, seq LIMIT $4`,
    [
      runId,
      options.after?.attempt ?? 0,
      options.after?.seq ?? 0,
      options.limit ?? 100,
      scheduledForOf(runId).toISOString(),
      db.namespace,
    ],
  );
}

/** The end of a run's log, at most so many characters. */
export async function logTail(db: Database, runId: string, length: number): Promise<string> {
  const rows = await query<{ text: string }>(
    db.pool,
    'log_tail',
    `SELECT right(text, $2) AS text FROM run_log_chunk WHERE run_id = $1 AND ${isRunOf('$4', '$1::uuid', '$3')}
     ORDER BY attempt DESC, seq DESC LIMIT 3`,
    [runId, length, scheduledForOf(runId).toISOString(), db.namespace],
  );
  return rows
    .reverse()
    .map((row) => row.text)
    .join('')
    .slice(-length);
}
