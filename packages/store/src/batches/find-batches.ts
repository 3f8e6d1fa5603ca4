import type { BatchProgress, By, ChildResult, Json, RunState } from '@escapement/core';
import { childIndexOf, isTerminal } from '@escapement/core';
import { nameIn, noteAction, reasonIn, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { type BatchRow, type BatchView, type BatchViewRow, toBatchProgress, toBatchView } from './batch-row.ts';

/** Batches that nobody has gone on with for a moment though there is something to do: what a crash has left. */
export async function batchesToAdvance(db: Database, limit: number): Promise<string[]> {
  const rows = await query<{ id: string }>(db.pool, 'batches_to_advance', BATCHES_TO_ADVANCE, [db.namespace, limit]);
  return rows.map(({ id }) => id);
}

const BATCHES_TO_ADVANCE = `
SELECT b.id FROM batch b
WHERE b.namespace = $1 AND b.state IN ('running', 'stopping', 'cancelling') AND b.advanced_at < now() - interval '500 ms'
  AND (b.state = 'cancelling' OR b.succeeded + b.skipped + b.failed = b.made
    OR b.state = 'running' AND b.made < b.total AND b.made - b.succeeded - b.skipped - b.failed < b.concurrency
    OR EXISTS (SELECT FROM batch_note n WHERE n.batch_id = b.id))
ORDER BY b.advanced_at LIMIT $2`;

/** Ends batches that were still being filled when their run ended. Returns how many. */
export async function dropUnfilled(db: Database): Promise<number> {
  const rows = await query(
    db.pool,
    'drop_unfilled_batches',
    `WITH dropped AS (
       UPDATE batch b SET state = 'cancelled', ended_at = now(), reason = 'its run ended before it had all its items'
       FROM any_run r WHERE b.namespace = $1 AND b.state = 'filling' AND r.id = b.run_id
         AND r.scheduled_for = b.run_scheduled_for AND r.finished_at IS NOT NULL
       RETURNING b.id
     ), cleared AS (DELETE FROM batch_page p USING dropped d WHERE p.batch_id = d.id)
     SELECT id FROM dropped`,
    [db.namespace],
  );
  return rows.length;
}

/** How many runs stand above one, each caused by the one before, as far as the ledger has them; counted up to `most`. */
export async function causesAbove(db: Database, runId: string, most: number): Promise<number> {
  const [row] = await query<{ count: number }>(
    db.pool,
    'causes_above',
    `WITH RECURSIVE above AS (
       SELECT r.id, 0 AS count FROM any_run r WHERE r.id = $1 AND r.namespace = $3
       UNION ALL
       SELECT r.cause_run_id, a.count + 1 FROM above a JOIN any_run r ON r.id = a.id AND r.namespace = $3
       WHERE r.cause_run_id IS NOT NULL AND a.count < $2
     )
     SELECT max(count) AS count FROM above`,
    [runId, most, db.namespace],
  );
  return row?.count ?? 0;
}

/** The batches that a run has asked for, in that order. */
export async function batchesOfRun(db: Database, runId: string): Promise<BatchView[]> {
  const rows = await query<BatchViewRow>(
    db.pool,
    'batches_of_run',
    `SELECT b.*, t.name AS task_name FROM batch b JOIN task t ON t.id = b.task_id
     WHERE b.namespace = $1 AND b.run_id = $2 ORDER BY b.created_at, b.id`,
    [db.namespace, runId],
  );
  return rows.map(toBatchView);
}

/** How far a batch is. Null: there is none, or it was pruned. */
export async function findBatch(db: Database, id: string): Promise<BatchProgress | null> {
  const [row] = await query<BatchRow>(db.pool, 'find_batch', 'SELECT * FROM batch WHERE namespace = $1 AND id = $2', [
    db.namespace,
    id,
  ]);
  return row ? toBatchProgress(row) : null;
}

/**
 * Cancels the open batches of a run: no more children are made, those that are open are asked to end. Returns their ids.
 */
export async function cancelBatches(db: Database, runId: string, by: By): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db.pool,
    'cancel_batches',
    `WITH cancelled AS (
       UPDATE batch SET state = 'cancelling', cancelled_by = ${nameIn('$3')}, reason = ${reasonIn('$3')}, advanced_at = '-infinity'
       WHERE namespace = $1 AND run_id = $2 AND state IN ('filling', 'running', 'stopping') RETURNING id
     ), noted AS (
       ${noteAction({ by: '$3', action: "'cancel batch'", subject: "'run:' || $2::uuid", from: 'cancelled' })}
     )
     SELECT id FROM cancelled`,
    [db.namespace, runId, toActing(by)],
  );
  return rows.map(({ id }) => id);
}

interface ResultRow {
  id: string;
  state: RunState;
  reason: string | null;
  payload: Json | null;
  output: Json | null;
}

/** What came of a batch's items from an index on, in their order, up to the first that has not ended. */
export async function batchResults(
  db: Database,
  batchId: string,
  { from, limit }: { from: number; limit: number },
): Promise<ChildResult[]> {
  const rows = await query<ResultRow>(
    db.pool,
    'batch_results',
    `SELECT r.id, r.state, r.reason, r.payload, r.output FROM any_run r
     WHERE r.scheduled_for = (SELECT b.created_at FROM batch b WHERE b.id = $1 AND b.namespace = $4)
       AND r.namespace = $4 AND r.id >= batch_child($1, $2) AND r.id < batch_child($1, $2 + $3) ORDER BY r.id`,
    [batchId, from, limit, db.namespace],
  );
  const results: ChildResult[] = [];
  for (const [place, { id, state, reason, payload, output }] of rows.entries()) {
    const index = childIndexOf(id);
    if (index !== from + place || !isTerminal(state)) break;
    results.push({ index, id, state, reason, item: payload, output });
  }
  return results;
}
